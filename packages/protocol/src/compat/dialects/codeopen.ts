import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { UnknownEvent } from "../../decode.ts";
import type { AskOpened, SessionEvent } from "../../events.ts";
import { isList, isRecord } from "../../record.ts";
import { defined, fieldsOf, project, type Projections } from "./projection.ts";
import { blocksText, blockText, textOf, toolContentText } from "../../block-text.ts";
import { stringOf } from "../../raw-value.ts";
import {
  readToolCall,
  readUpdate,
  type ToolCallFields,
  type UpdateReading,
} from "../../update-reading.ts";
import {
  chunkParts,
  infoFields,
  toolSteps,
  updateFields,
  type ChunkReading,
  type ReadingOf,
} from "./update-parts.ts";

/**
 * One server-sent event of seed 002's vocabulary. An event of the log can produce several frames. Only the last has
 * an `id`, so that a client that disconnects between them receives all of them again.
 */
export interface CodeopenFrame {
  readonly id?: number;
  readonly event: string;
  readonly data: CodeopenData;
}

export interface CodeopenData {
  readonly seq: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

/**
 * Projects an event of the log to frames of seed 002, without state. `data` of an update is the seed's own
 * `SessionUpdate`: `{ sessionId, type, content }`.
 */
export function toCodeopen(
  sessionId: string,
  event: SessionEvent | UnknownEvent,
): readonly CodeopenFrame[] {
  const stamp = { seq: event.seq, sessionId, timestamp: event.at };
  const bodies = project(projections, event) ?? [named("event.unknown", { raw: event })];
  const frame = ({ name, fields }: Body) => ({ event: name, data: { ...fields, ...stamp } });
  const last = bodies.at(-1);
  return last ? [...bodies.slice(0, -1).map(frame), { id: event.seq, ...frame(last) }] : [];
}

interface Body {
  readonly name: string;
  readonly fields: object;
}

function named(name: string, fields: object): Body {
  return { name, fields };
}

const projections: Projections<Body> = {
  "session-opened": (event) => [named("session.opened", fieldsOf(event))],
  "session-changed": (event) => [named("session.changed", fieldsOf(event))],
  "session-closed": (event) => [named("session.closed", fieldsOf(event))],
  "agent-waiting": (event) => [named("agent.waiting", fieldsOf(event))],
  "agent-started": (event) => [named("agent.started", fieldsOf(event))],
  "agent-exited": (event) => [named("agent.exited", fieldsOf(event))],
  // For developers of agents, not for chats. `landline.v1` and the log have it.
  "agent-noise": () => [],
  "options-changed": (event) => [
    named("options.changed", fieldsOf(event)),
    ...modeChanged(event.modes),
  ],
  "prompt-queued": (event) => [named("prompt.queued", promptFields(event))],
  "prompt-changed": (event) => [named("prompt.changed", promptFields(event))],
  "prompt-withdrawn": (event) => [named("prompt.withdrawn", fieldsOf(event))],
  "prompt-moved": (event) => [named("prompt.moved", fieldsOf(event))],
  "turn-started": (event) => [named("turn.started", fieldsOf(event))],
  "turn-changed": (event) => [named("turn.changed", fieldsOf(event))],
  "turn-ended": (event) => [named("session.updated", { ...fieldsOf(event), status: "idle" })],
  update: ({ update, child }) => {
    const bodies = bodiesOf(readUpdate(update));
    // Keep subagent text separate, because clients join consecutive text.
    return child === undefined
      ? bodies
      : bodies.map(({ name, fields }) =>
          named("child.updated", { child, event: name, data: fields }),
        );
  },
  "ask-opened": (event) => [requestOf(event)],
  "ask-explained": ({ askId, reasons }) => [named("permission.explained", { id: askId, reasons })],
  "ask-settled": ({ askId, outcome, by, note }) => [
    named(isRecord(outcome) && "action" in outcome ? "question.settled" : "permission.settled", {
      id: askId,
      outcome,
      by,
      ...defined({ note }),
    }),
  ],
  "file-read": (event) => [named("file.read", fieldsOf(event))],
  "file-written": (event) => [named("file.written", fieldsOf(event))],
  "terminal-opened": (event) => [named("terminal.opened", fieldsOf(event))],
  "terminal-restarted": (event) => [named("terminal.restarted", fieldsOf(event))],
  "terminal-output": ({ terminalId, text }) => [
    named("terminal.output", { terminalId, text: textOf(text) }),
  ],
  "terminal-exited": (event) => [named("terminal.exited", fieldsOf(event))],
  error: (event) => [named("error", fieldsOf(event))],
};

function promptFields(event: {
  readonly promptId: string;
  readonly content: unknown;
  readonly by: string;
}): object {
  const { promptId, content, by } = event;
  return { promptId, text: blocksText(content), content, by };
}

function requestOf(event: AskOpened): Body {
  const child = defined({ child: event.child });
  if (event.ask === "question")
    return named("question.request", { id: event.askId, request: event.request, ...child });
  const { askId, toolCall, options } = event;
  const call = readToolCall(toolCall);
  return named("permission.request", {
    id: askId,
    tool: call?.name ?? "",
    description: call?.title ?? call?.name ?? "",
    options: isList(options) ? options.map(optionOf) : [],
    toolCall,
    ...child,
  });
}

function optionOf(option: unknown): object {
  if (!isRecord(option)) return {};
  return { id: option["optionId"], label: option["name"], kind: option["kind"] };
}

function modeChanged(modes: SessionModeState | null | undefined): readonly Body[] {
  const modeId = stringOf(modes?.currentModeId);
  return modeId === null ? [] : [named("mode.changed", { modeId })];
}

function bodiesOf(reading: UpdateReading): readonly Body[] {
  switch (reading.kind) {
    case "message-chunk":
      return [message(reading)];
    case "tool-call":
      return toolSteps(reading).map(({ step, call }) => toolBodies[step](call));
    case "plan":
      return [named("plan.updated", { entries: reading.entries })];
    case "named-plan": {
      const { type: _type, ...plan } = reading.plan;
      return [named("plan.updated", { entries: [], ...plan })];
    }
    case "plan-removed":
      return [named("plan.removed", { planId: reading.planId })];
    case "commands":
      return [named("commands.changed", { commands: reading.commands })];
    case "mode":
      return [named("mode.changed", { modeId: reading.modeId })];
    case "config-options":
      return [named("options.changed", { configOptions: reading.configOptions })];
    case "session-info":
      return [named("session.changed", infoFields(reading))];
    case "usage":
      return [named("usage.changed", { usage: updateFields(reading) })];
    case "notice":
      return [named("notice", { notice: updateFields(reading) })];
    case "compaction":
      return [named("compaction.changed", { compaction: updateFields(reading) })];
    case "compaction-chunk": {
      const { compactionId, update } = reading;
      const content = { text: blockText(update["content"]) };
      return [named("compaction.part.updated", { compactionId, content })];
    }
    case "subagent":
      return [named("subagent.changed", { subagent: updateFields(reading) })];
    case "session-message":
      return [named("session.message.changed", { message: updateFields(reading) })];
    case "session-message-chunk": {
      const { messageId, update } = reading;
      const content = { text: blockText(update["content"]) };
      return [named("session.message.part.updated", { messageId, content })];
    }
    default:
      // No other kind remains: the types require a case for each.
      reading satisfies ReadingOf<"unknown">;
      return [named("update.unknown", { raw: reading.update })];
  }
}

const messageNames = {
  agent: { name: "message.part.updated", type: "text" },
  thought: { name: "thought.part.updated", type: "thinking" },
  user: { name: "prompt.part.updated", type: "text" },
} as const;

function message(reading: ChunkReading): Body {
  const { name, type } = messageNames[reading.voice];
  const { text, block, messageId } = chunkParts(reading);
  return named(name, { type, content: { text, ...defined({ block }) }, ...defined({ messageId }) });
}

const toolBodies = {
  started: (call: ToolCallFields) => named("tool.execute", toolCallFields(call)),
  changed: (call: ToolCallFields) => named("tool.updated", toolCallFields(call)),
  ended: (call: ToolCallFields) => named("tool.result", toolResultFields(call)),
} as const;

/** The seed uses `running` for ACP's `in_progress`. */
const statuses: Readonly<Record<string, string>> = { in_progress: "running" };

function toolCallFields(call: ToolCallFields): object {
  const toolCall = {
    id: call.toolCallId,
    ...defined({
      name: call.name,
      input: call.input,
      status: call.status === undefined ? undefined : (statuses[call.status] ?? call.status),
      kind: call.toolKind,
      locations: call.locations,
      content: call.content,
    }),
  };
  return { type: "tool_call", content: { toolCall } };
}

function toolResultFields(call: ToolCallFields): object {
  const toolResult = {
    callId: call.toolCallId,
    output: toolContentText(call.content) || outputText(call.output),
    isError: call.status === "failed",
    ...defined({ raw: call.output, content: call.content }),
  };
  return { type: "tool_result", content: { toolResult } };
}

function outputText(output: unknown): string {
  if (output === undefined) return "";
  return typeof output === "string" ? output : JSON.stringify(output);
}
