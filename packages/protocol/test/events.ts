import type { EventBody, RawUpdate, SessionEvent } from "../src/events.ts";

/** A log of these events: numbered from 1, one second apart. */
export function logOf(...bodies: readonly EventBody[]): SessionEvent[] {
  return bodies.map((body, index) => numbered(body, index + 1));
}

export function numbered(body: EventBody, seq: number): SessionEvent {
  return { ...body, seq, at: seq * 1_000 };
}

export function update(sessionUpdate: string, fields: RawUpdate = {}, child?: string): EventBody {
  const body = { kind: "update", update: { sessionUpdate, ...fields } } as const;
  return child === undefined ? body : { ...body, child };
}

export function says(text: string, messageId?: string, child?: string): EventBody {
  return chunk("agent_message_chunk", text, messageId, child);
}

export function thinks(text: string, messageId?: string): EventBody {
  return chunk("agent_thought_chunk", text, messageId);
}

export function echoes(text: string, child?: string): EventBody {
  return chunk("user_message_chunk", text, undefined, child);
}

function chunk(kind: string, text: string, messageId?: string, child?: string): EventBody {
  const content = { type: "text", text };
  return update(kind, messageId === undefined ? { content } : { content, messageId }, child);
}

export function toolCall(toolCallId: string, fields: RawUpdate = {}, child?: string): EventBody {
  return update("tool_call", { toolCallId, title: toolCallId, ...fields }, child);
}

export function toolUpdate(toolCallId: string, fields: RawUpdate = {}, child?: string): EventBody {
  return update("tool_call_update", { toolCallId, ...fields }, child);
}

export function opened(title: string | null = null): EventBody {
  return {
    kind: "session-opened",
    agent: "scripted",
    cwd: "/repo",
    roots: ["/repo"],
    title,
    parent: null,
    by: "laptop",
  };
}

export function started(how: "new" | "resume" | "load" | "transcript" = "new"): EventBody {
  return { kind: "agent-started", agentSessionId: "agent-1", how, info: null, capabilities: {} };
}

export function queued(promptId: string, text: string): EventBody {
  return { kind: "prompt-queued", promptId, content: [{ type: "text", text }], by: "laptop" };
}

export function turnStarted(turnId: string, promptId: string): EventBody {
  return { kind: "turn-started", turnId, promptId };
}

/** A prompt and the start of its turn: `prompt-N` and `turn-N`. */
export function turn(number: number, text: string): [EventBody, EventBody] {
  return [queued(`prompt-${number}`, text), turnStarted(`turn-${number}`, `prompt-${number}`)];
}

export function turnEnded(
  turnId: string,
  stopReason: Extract<EventBody, { kind: "turn-ended" }>["stopReason"] = "end_turn",
): EventBody {
  return { kind: "turn-ended", turnId, stopReason };
}

export function asks(askId: string, toolCallFields: RawUpdate, child?: string): EventBody {
  const body = {
    kind: "ask-opened",
    askId,
    ask: "permission",
    // As an agent sent it; the type says what it should be.
    toolCall: toolCallFields as { toolCallId: string },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  } as const;
  return child === undefined ? body : { ...body, child };
}

export function settles(askId: string, optionId: string): EventBody {
  return {
    kind: "ask-settled",
    askId,
    outcome: { outcome: "selected", optionId },
    by: { client: "phone" },
  };
}
