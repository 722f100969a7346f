import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import type {
  NewRecord,
  SessionCreated,
  SessionRecord,
  StepEnded,
  ToolEnded,
  UserPart,
} from "../../src/core/record.ts";

export const created: SessionCreated = {
  kind: "session-created",
  version: 1,
  at: 0,
  sessionId: "session",
  cwd: "/project",
  directories: [],
};

const view = { title: "call", kind: "other" as const, locations: [], content: [] };

export function ended(callId: string, more: Partial<ToolEnded> = {}): ToolEnded {
  return {
    kind: "tool-ended",
    at: 0,
    callId,
    status: "completed",
    output: "done",
    content: [],
    rawOutput: {},
    ...more,
  };
}

export function called(stepId: string, callId: string, tool = "echo", input: unknown = {}) {
  return { kind: "tool-called" as const, at: 0, stepId, callId, tool, input, view };
}

export function sent(promptId: string, text = promptId): SessionRecord {
  const part = { type: "text" as const, text };
  return { kind: "prompt-sent", at: 0, promptId, content: [part], parts: [part] };
}

export function started(stepId: string, promptId: string, modelId = "test/model"): SessionRecord {
  return { kind: "step-started", at: 0, stepId, promptId, modelId };
}

export function stepEnded(
  stepId: string,
  finish: StepEnded["finish"] = "stop",
  usage?: StepEnded["usage"],
): SessionRecord {
  return { kind: "step-ended", at: 0, stepId, finish, ...(usage && { usage }) };
}

export function answered(stepId: string, text: string): SessionRecord {
  return { kind: "text-added", at: 0, stepId, partId: `${stepId}.1`, text };
}

export function turnEnded(promptId: string): SessionRecord {
  return { kind: "turn-ended", at: 0, promptId, stopReason: "end_turn" };
}

/** A turn of one answer. */
export function turn(promptId: string, text: string): SessionRecord[] {
  const stepId = `${promptId}-step`;
  return [
    sent(promptId),
    started(stepId, promptId),
    answered(stepId, text),
    stepEnded(stepId),
    turnEnded(promptId),
  ];
}

const texts = fc.constantFrom("", "  \n", "Hello.", "Do it", "x".repeat(300));
const png = { type: "image" as const, data: "iVBORw==", mimeType: "image/png" };
const blocks: ContentBlock[] = [
  { type: "text", text: "words" },
  png,
  { ...png, mimeType: "image/svg+xml" },
  { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "file:///a.json", blob: "e30=", mimeType: "text/json" } },
];

const prompts: fc.Arbitrary<{ content: ContentBlock[]; parts: UserPart[] }> = fc.record({
  content: fc.constant(blocks),
  parts: fc.array(
    fc.oneof(
      texts.map((text): UserPart => ({ type: "text", text })),
      // One more than exist.
      fc.nat(blocks.length).map((index): UserPart => ({ type: "block", index })),
    ),
    { maxLength: 3 },
  ),
});

const provider = fc.option(fc.constant({ test: { signature: "s" } }), { nil: undefined });
const callIds = fc.constantFrom("", "call_0", "call_1", "functions.read:0", "y".repeat(120));
const inputs = fc.constantFrom<unknown>({}, { path: "a" }, "{broken", null, undefined, [1], 5);

type Part =
  | { type: "text" | "thought"; text: string; provider: object | undefined }
  | { type: "call"; callId: string; tool: string; input: unknown; end: Partial<ToolEnded> | null };

const parts: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constantFrom("text" as const, "thought" as const), text: texts, provider }),
  fc.record({
    type: fc.constant("call" as const),
    callId: callIds,
    tool: fc.constantFrom("read", "", "functions.bash", "é".repeat(80)),
    input: inputs,
    end: fc.option(
      fc.record({
        status: fc.constantFrom("completed" as const, "failed" as const),
        output: fc.oneof(texts, fc.constant("o".repeat(100_000))),
        attachments: fc.array(fc.constant({ mimeType: "image/png", data: "iVBORw==" }), {
          maxLength: 1,
        }),
      }),
    ),
  }),
);

const steps = fc.record({
  modelId: fc.constantFrom("test/model", "other/model", ""),
  parts: fc.array(parts, { maxLength: 4 }),
  finish: fc.option(
    fc.constantFrom("stop", "tool-calls", "length", "refusal", "error", "cancelled" as const),
  ),
});

const turns = fc.record({
  prompt: prompts,
  steps: fc.array(steps, { maxLength: 4 }),
  isEnded: fc.boolean(),
  after: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("compacted" as const), append: fc.option(fc.nat(40)) }),
      fc.record({
        kind: fc.constant("files-restored" as const),
        direction: fc.constantFrom("undo" as const, "redo" as const),
        which: fc.nat(6),
      }),
    ),
    { maxLength: 2 },
  ),
});

/** Records of sessions: possible ones, and some impossible ones, because files are edited and torn. */
export const histories: fc.Arbitrary<SessionRecord[]> = fc
  .array(turns, { minLength: 1, maxLength: 5 })
  .map((scripts) => {
    const records: SessionRecord[] = [created];
    const ids: string[] = [];
    const promptIds: string[] = [];
    const append = (record: NewRecord) => records.push({ ...record, at: records.length });
    for (const [number, script] of scripts.entries()) {
      const promptId = `prompt-${number}`;
      promptIds.push(promptId);
      ids.push(promptId);
      append({ kind: "prompt-sent", promptId, ...script.prompt });
      for (const [index, step] of script.steps.entries()) {
        const stepId = `step-${number}-${index}`;
        ids.push(stepId);
        keepStep(append, { ...step, stepId, promptId });
      }
      for (const event of script.after) {
        if (event.kind === "compacted") {
          const keepFrom = event.append === null ? null : (ids[event.append] ?? "nowhere");
          append({ kind: "compacted", compactionId: "c", summary: "So far.", keepFrom });
        } else {
          const { direction, which } = event;
          const restored = promptIds[which] ?? "nowhere";
          append({ kind: "files-restored", direction, promptId: restored, paths: [] });
        }
      }
      if (script.isEnded) append({ kind: "turn-ended", promptId, stopReason: "end_turn" });
    }
    return records;
  });

function keepStep(
  append: (record: NewRecord) => void,
  step: {
    stepId: string;
    promptId: string;
    modelId: string;
    parts: Part[];
    finish: string | null;
  },
): void {
  const { stepId, promptId, modelId } = step;
  append({ kind: "step-started", stepId, promptId, modelId });
  for (const [index, part] of step.parts.entries()) {
    if (part.type === "call") {
      const { callId, tool, input } = part;
      append({ kind: "tool-called", stepId, callId: callId + stepId, tool, input, view });
      continue;
    }
    const kind = part.type === "text" ? ("text-added" as const) : ("thought-added" as const);
    const given = part.provider ? { provider: part.provider as Record<string, unknown> } : {};
    append({ kind, stepId, partId: `${stepId}.${index}`, text: part.text, ...given });
  }
  if (step.finish !== null)
    append({ kind: "step-ended", stepId, finish: step.finish as StepEnded["finish"] });
  for (const part of step.parts) {
    if (part.type !== "call" || part.end === null) continue;
    const { at: _at, ...record } = ended(part.callId + stepId, part.end);
    append(record);
  }
}

/** Reasons for which a provider would refuse a history. Always empty. */
export function faultsOf(messages: readonly ModelMessage[]): string[] {
  const found: string[] = [];
  if (messages[0] && messages[0].role !== "user") found.push("does not begin with the person");
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (messages[index - 1]?.role === message.role) found.push(`two ${message.role} in a row`);
    if (message.role === "system" || typeof message.content === "string") {
      found.push(`a ${message.role} message in words`);
      continue;
    }
    if (message.content.length === 0) found.push(`an empty ${message.role} message`);
    if (message.role !== "tool" && open.length > 0) found.push("a call without a result");
    const results = message.content.flatMap((part) =>
      part.type === "tool-result" ? [part.toolCallId] : [],
    );
    if (message.role === "tool" && results.join() !== open.join()) found.push("other results");
    open = [];
    if (message.content.every((part) => part.type === "reasoning")) found.push("thoughts alone");
    for (const part of message.content) {
      if (part.type === "text" && part.text.trim() === "") found.push("a blank text");
      if (part.type === "tool-result" && part.output.type !== "text") {
        if (part.output.type !== "error-text") found.push(`a result of type ${part.output.type}`);
      }
      if (part.type !== "tool-call") continue;
      if (ids.has(part.toolCallId)) found.push("two calls with one id");
      if (!/^[A-Za-z0-9_-]{1,64}$/u.test(part.toolName)) found.push("an invalid name");
      const { input } = part;
      if (typeof input !== "object" || input === null || Array.isArray(input))
        found.push("an input that is no object");
      ids.add(part.toolCallId);
      open.push(part.toolCallId);
    }
  }
  return open.length > 0 ? [...found, "a call without a result"] : found;
}
