import * as fc from "fast-check";
import type { EventBody, RawUpdate, SessionEvent } from "../src/events.ts";
import {
  asks,
  echoes,
  logOf,
  opened,
  queued,
  says,
  settles,
  started,
  thinks,
  toolCall,
  toolUpdate,
  turnEnded,
  turnStarted,
  update,
} from "./events.ts";

/** Few ids, so that events refer to each other; -0 is omitted because JSON does not keep it. */
const id = fc.constantFrom("a", "b", "c");
const child = fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined });
const text = fc.constantFrom("", "hi", "hello there", "<task_metadata>\nsession_id: x\n");
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

const status = fc.constantFrom("pending", "in_progress", "completed", "failed", "running", null);
const toolFields = fc.record(
  {
    title: fc.constantFrom("task", "read", ""),
    status,
    content: fc.oneof(
      json,
      fc.constant([{ type: "content", content: { type: "text", text: "x" } }]),
    ),
    locations: json,
    rawInput: fc.oneof(json, fc.constant({ subagent_type: "general", description: "Look" })),
    rawOutput: fc.oneof(
      json,
      text.map((output) => ({ output })),
      fc.constantFrom("x", "y", "w").map((sessionId) => ({ metadata: { sessionId } })),
    ),
    _meta: fc.oneof(
      json,
      fc.constant({
        terminal_info: { terminal_id: "a", cwd: "/" },
        terminal_output_delta: { terminal_id: "a", data: "out" },
      }),
    ),
  },
  { requiredKeys: [] },
);

const knownUpdates = [
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "plan_update",
  "plan_removed",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
  "subagent_update",
  "session_message",
  "session_message_chunk",
];

/** Any JSON under every name that a fold reads. */
const hostileFields = fc.dictionary(
  fc.constantFrom(
    ..."content messageId toolCallId title name kind status locations rawInput rawOutput _meta".split(
      " ",
    ),
    ..."entries plan planId availableCommands currentModeId configOptions used size cost".split(
      " ",
    ),
    ..."severity description compactionId summary error sessionId state capabilities".split(" "),
    ..."senderSessionId recipientSessionId toolCall subagent_type __proto__ constructor".split(" "),
  ),
  fc.oneof(json, id),
);

const hostileUpdate = fc
  .tuple(fc.oneof(fc.constantFrom(...knownUpdates), json), hostileFields, child)
  .map(([sessionUpdate, fields, of]) => hostile(sessionUpdate, fields, of));

function hostile(sessionUpdate: unknown, fields: RawUpdate, of: string | undefined): EventBody {
  const body = { kind: "update", update: { ...fields, sessionUpdate } } as const;
  return of === undefined ? body : { ...body, child: of };
}

const wellMadeUpdate = fc.oneof(
  fc.tuple(text, fc.option(id, { nil: undefined }), child).map((given) => says(...given)),
  fc.tuple(text, fc.option(id, { nil: undefined })).map((given) => thinks(...given)),
  fc.tuple(text, child).map((given) => echoes(...given)),
  fc.tuple(id, toolFields, child).map((given) => toolCall(...given)),
  fc.tuple(id, toolFields, child).map((given) => toolUpdate(...given)),
  fc
    .tuple(fc.constantFrom("x", "y", "z"), child)
    .map(([sessionId, of]) => update("subagent_update", { sessionId, title: "Sub" }, of)),
  fc
    .tuple(id, json)
    .map(([planId, entries]) =>
      update("plan_update", { plan: { planId, type: "items", entries } }),
    ),
  id.map((planId) => update("plan_removed", { planId })),
  fc
    .tuple(fc.oneof(text, fc.constant(null), json), child)
    .map(([title, of]) => update("session_info_update", { title }, of)),
  id.map((compactionId) => update("compaction_update", { compactionId, status: "completed" })),
  fc
    .tuple(id, text)
    .map(([messageId, said]) =>
      update("session_message_chunk", { messageId, content: { type: "text", text: said } }),
    ),
);

const stopReason = fc.constantFrom("end_turn", "cancelled", "failed");

const ours: fc.Arbitrary<EventBody> = fc.oneof(
  fc.constant(opened()),
  fc.constant(started("resume")),
  fc.constant<EventBody>({ kind: "session-closed", by: "laptop" }),
  fc.constantFrom<EventBody>(
    { kind: "session-changed", title: "Mine", by: "laptop" },
    { kind: "session-changed", title: null, by: "laptop" },
    { kind: "session-changed", title: "Other" },
  ),
  fc.tuple(id, text).map((given) => queued(...given)),
  fc.tuple(id, id).map((given) => turnStarted(...given)),
  fc.tuple(id, stopReason).map((given) => turnEnded(...given)),
  id.map((promptId): EventBody => ({ kind: "prompt-withdrawn", promptId, by: "laptop" })),
  fc.tuple(id, fc.option(id)).map(([promptId, before]): EventBody => ({
    kind: "prompt-moved",
    promptId,
    before,
    by: "laptop",
  })),
  id.map((promptId): EventBody => ({
    kind: "prompt-changed",
    promptId,
    content: [],
    by: "laptop",
  })),
  id.map((turnId): EventBody => ({
    kind: "turn-changed",
    turnId,
    state: "cancelling",
    rung: "cancel",
  })),
  {
    weight: 4,
    arbitrary: id.map((turnId): EventBody => ({ kind: "turn-changed", turnId, state: "stalled" })),
  },
  fc
    .tuple(id, id, toolFields, child)
    .map(([askId, toolCallId, fields, of]) => asks(askId, { toolCallId, ...fields }, of)),
  id.map((askId) => settles(askId, "yes")),
  id.map((path): EventBody => ({ kind: "file-read", path, bytes: 1, via: "disk" })),
  fc.tuple(id, text).map(([terminalId, output]): EventBody => ({
    kind: "terminal-output",
    terminalId,
    text: output,
  })),
  fc.tuple(id, id).map(([terminalId, ask]): EventBody => ({
    kind: "terminal-restarted",
    terminalId,
    confinement: null,
    ask,
  })),
  id.map((terminalId): EventBody => ({
    kind: "terminal-exited",
    terminalId,
    exitCode: 0,
    signal: null,
  })),
  fc.constant<EventBody>({ kind: "agent-exited", code: 1, signal: null, stderr: "gone" }),
  fc.constant<EventBody>({ kind: "agent-waiting", running: 2, limit: 2 }),
  fc.constant<EventBody>({ kind: "agent-noise", lines: ["Hello!"], count: 2, reason: "not JSON" }),
  fc.constant<EventBody>({ kind: "error", code: "timeout", message: "Too long." }),
  json.map((value): EventBody => ({ kind: "options-changed", modes: value as never })),
);

/** Events that create and merge the nodes of the tree, and ask inside it. */
const taskFields = fc.oneof(
  fc.constant({ title: "task", rawInput: { subagent_type: "general" } }),
  fc.constantFrom("x", "y", "z").map((sessionId) => ({ rawOutput: { metadata: { sessionId } } })),
  fc.constantFrom("x", "y", "z").map((sessionId) => ({ _meta: { subagent: { sessionId } } })),
  status.map((given) => ({ status: given })),
);

const announced = fc
  .tuple(fc.constantFrom("x", "y", "z"), id, child)
  .map(([sessionId, parentToolCallId, of]) =>
    update("subagent_update", { sessionId, _meta: { parentToolCallId } }, of),
  );

const family: fc.Arbitrary<EventBody> = fc.oneof(
  announced,
  fc.tuple(id, taskFields, child).map((given) => toolCall(...given)),
  fc.tuple(id, taskFields, child).map((given) => toolUpdate(...given)),
  fc.tuple(text, fc.option(id, { nil: undefined }), child).map((given) => says(...given)),
  fc.tuple(id, id, child).map(([askId, toolCallId, of]) => asks(askId, { toolCallId }, of)),
  id.map((askId) => settles(askId, "yes")),
  fc.tuple(id, id).map((given) => turnStarted(...given)),
  fc.tuple(id, stopReason).map((given) => turnEnded(...given)),
);

/** Logs of related events, with arbitrary values in their updates. */
const mixed = fc.oneof(
  { arbitrary: wellMadeUpdate, weight: 5 },
  { arbitrary: ours, weight: 4 },
  { arbitrary: hostileUpdate, weight: 2 },
);

export const anyLog: fc.Arbitrary<SessionEvent[]> = fc
  .oneof(
    fc.array(mixed, { maxLength: 40, size: "max" }),
    fc.array(family, { maxLength: 40, size: "max" }),
  )
  .map((bodies) => logOf(...bodies));

export function cutAt<Entry>(list: readonly Entry[], cuts: readonly number[]): Entry[][] {
  const places = cuts.map((cut) => cut % (list.length + 1)).sort((one, other) => one - other);
  return [...places, list.length].map((end, index) => list.slice(places[index - 1] ?? 0, end));
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
