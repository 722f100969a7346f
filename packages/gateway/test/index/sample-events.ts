import * as fc from "fast-check";
import type { EventBody, RawUpdate, SessionEvent } from "@landline/protocol";

/** Events for the tests of the index: short constructors, and random ones. */
export function numbered(bodies: readonly EventBody[], from = 1): SessionEvent[] {
  return bodies.map((body, index) => ({ seq: from + index, at: 1_000 + from + index, ...body }));
}

export const opened: EventBody = {
  kind: "session-opened",
  agent: "held",
  cwd: "/repo",
  roots: ["/repo"],
  title: null,
  parent: null,
  by: "client-1",
};

export const started: EventBody = {
  kind: "agent-started",
  agentSessionId: "agent-session-1",
  how: "new",
  info: null,
  capabilities: {},
};

export const prompt = (text: string, promptId = "p1"): EventBody => ({
  kind: "prompt-queued",
  promptId,
  content: [{ type: "text", text }],
  by: "client-1",
});

export const turn = (turnId = "t1", promptId = "p1"): EventBody => ({
  kind: "turn-started",
  turnId,
  promptId,
});

export const turnEnd = (turnId = "t1"): EventBody => ({
  kind: "turn-ended",
  turnId,
  stopReason: "end_turn",
});

export const update = (fields: RawUpdate, child?: string): EventBody => ({
  kind: "update",
  update: fields,
  ...(child === undefined ? {} : { child }),
});

export const says = (text: string, messageId?: string, child?: string): EventBody =>
  update(
    {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text },
      ...(messageId === undefined ? {} : { messageId }),
    },
    child,
  );

export const toolCall = (toolCallId: string, fields: RawUpdate = {}): EventBody =>
  update({ sessionUpdate: "tool_call", toolCallId, title: `Tool ${toolCallId}`, ...fields });

export const toolUpdate = (toolCallId: string, fields: RawUpdate): EventBody =>
  update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });

export const permission = (askId: string, toolCallId = "call-1", child?: string): EventBody => ({
  kind: "ask-opened",
  askId,
  ask: "permission",
  toolCall: { toolCallId, title: "Write a.txt" },
  options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  ...(child === undefined ? {} : { child }),
});

export const settled = (askId: string): EventBody => ({
  kind: "ask-settled",
  askId,
  outcome: { outcome: "selected", optionId: "yes" },
  by: { client: "client-2" },
});

const word = fc.constantFrom(
  "alpha",
  "beta ",
  "gamma\n",
  "日本",
  "👍",
  "\ud83d",
  "",
  "a-b",
  "\u0000x",
);
const id = fc.constantFrom("1", "2", "3");
/** A reference to a string that was too long for the log. */
const blob = { $blob: "5f1d", bytes: 300_000 } as unknown as string;
const child = fc.constantFrom(undefined, undefined, "kid");
const status = fc.constantFrom("pending", "in_progress", "completed", "failed", "odd", null, 7);

/** Anything that a session or a hostile agent may log, in any order. */
export const anyBody: fc.Arbitrary<EventBody> = fc.oneof(
  fc.constantFrom(opened, started),
  fc.tuple(word, id).map(([text, promptId]) => prompt(text, promptId)),
  id.map((promptId): EventBody => ({ kind: "prompt-withdrawn", promptId, by: "client-1" })),
  fc.tuple(id, fc.option(id)).map(([promptId, before]): EventBody => ({
    kind: "prompt-moved",
    promptId,
    before,
    by: "client-1",
  })),
  fc.tuple(word, id).map(([text, promptId]): EventBody => ({
    kind: "prompt-changed",
    promptId,
    content: [{ type: "text", text }],
    by: "client-2",
  })),
  id.map((turnId) => turn(turnId)),
  id.map((turnId) => turnEnd(turnId)),
  fc
    .constantFrom("stalled", "running", "cancelling")
    .map((state): EventBody => ({ kind: "turn-changed", turnId: "1", state })),
  {
    weight: 6,
    arbitrary: fc
      .tuple(word, fc.option(id, { nil: undefined }), child)
      .map(([text, messageId, of]) => says(text, messageId, of)),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        toolCallId: id,
        status,
        title: word,
        path: word,
        kind: fc.constantFrom("tool_call", "tool_call_update"),
        rawInput: fc.constantFrom(undefined, { command: "ls" }, { command: "rm -rf build" }),
        of: child,
      })
      .map(({ path, kind, of, ...fields }) =>
        update({ sessionUpdate: kind, ...fields, locations: [{ path }, null, 5] }, of),
      ),
  },
  fc
    .oneof(word, fc.constantFrom(null, "long title ".repeat(100), 7))
    .map((title) => update({ sessionUpdate: "session_info_update", title })),
  fc.constant(
    update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }),
  ),
  fc.object({ maxDepth: 2 }).map((fields) => update(fields as RawUpdate)),
  fc.tuple(id, id, child).map(([askId, toolCallId, of]) => permission(askId, toolCallId, of)),
  { weight: 2, arbitrary: id.map((askId) => settled(askId)) },
  fc.constantFrom<EventBody>(
    { kind: "file-written", path: "/repo/a", bytes: 1, via: "disk" },
    { kind: "terminal-opened", terminalId: "x", command: "ls", args: ["-l"], cwd: "/repo" },
    { kind: "terminal-exited", terminalId: "x", exitCode: 0, signal: null },
    { ...opened, parent: "other" },
    { kind: "agent-exited", code: 1, signal: null, stderr: "" },
    { kind: "session-changed", title: "Renamed", by: "client-1" },
    { kind: "session-changed", title: null, by: "client-1" },
    { kind: "session-closed", by: "client-1" },
    { kind: "error", code: "timeout", message: "late" },
    { kind: "session-changed", title: blob },
    { ...opened, cwd: blob, roots: [blob], parent: blob },
    { ...started, agentSessionId: blob },
    permission(blob, blob),
    settled(blob),
    toolCall(blob, { title: blob, status: blob }),
    says(blob, blob, blob),
    prompt(blob, blob),
  ),
);

export const anyEvents: fc.Arbitrary<SessionEvent[]> = fc
  .array(anyBody, { maxLength: 50, size: "max" })
  .map((bodies) => numbered(bodies));

/** A turn that waits for a permission. */
export const conversation = [
  opened,
  started,
  prompt("Please rename the helper"),
  turn(),
  says("I will "),
  says("look at it."),
  toolCall("call-1", { kind: "edit", locations: [{ path: "/repo/src/helper.ts" }] }),
  permission("ask-1"),
];
