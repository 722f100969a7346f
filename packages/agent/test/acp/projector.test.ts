import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import { validateAcp } from "@landline/testing/schema";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Projector } from "../../src/acp/projector.ts";
import type { AgentEvent, SessionRecord } from "../../src/core/record.ts";

function project(
  events: readonly AgentEvent[],
  live: boolean,
  capabilities: ClientCapabilities = {},
): SessionUpdate[] {
  const projector = new Projector({ live, capabilities, configOptions: () => [] });
  return events.flatMap((event) => projector.updates(event));
}

/** The screen of a client after some updates: chunks of one message joined, calls merged. */
function screenOf(updates: readonly SessionUpdate[]): unknown[] {
  const items: Record<string, unknown>[] = [];
  for (const { ...update } of updates as unknown as Record<string, unknown>[]) {
    const last = items.at(-1);
    const isPiece = String(update["sessionUpdate"]).endsWith("_chunk");
    const call = items.find((item) => item["toolCallId"] === update["toolCallId"]);
    if (isPiece && last && isSameMessage(last, update)) {
      last["content"] = { type: "text", text: textOf(last) + textOf(update) };
    } else if (update["toolCallId"] !== undefined && call) {
      Object.assign(call, update, { sessionUpdate: "tool_call" });
    } else items.push(update);
  }
  return items;
}

function isSameMessage(last: Record<string, unknown>, update: Record<string, unknown>): boolean {
  return (
    last["sessionUpdate"] === update["sessionUpdate"] && last["messageId"] === update["messageId"]
  );
}

function textOf(item: Record<string, unknown>): string {
  return (item["content"] as { text: string }).text;
}

// Transcripts: the records of a session, and what was shown while it ran.

interface TaskRun {
  live: AgentEvent[];
  kept: SessionRecord[];
}

const words = fc.string({ maxLength: 12, unit: "grapheme" });
const stepId = "step";

const part = fc
  .record({ thinks: fc.boolean(), pieces: fc.array(words, { minLength: 1, maxLength: 4 }) })
  .map(({ thinks, pieces }) => (id: string): TaskRun => {
    const streamed = thinks ? "thought-streamed" : "text-streamed";
    const record: SessionRecord = {
      kind: thinks ? "thought-added" : "text-added",
      at: 0,
      stepId,
      partId: id,
      text: pieces.join(""),
    };
    const live = pieces.map((delta) => ({ kind: streamed, stepId, partId: id, delta }) as const);
    return { live: [...live, record], kept: [record] };
  });

const content = fc.array(
  fc.oneof(
    words.map((text) => ({ type: "content" as const, content: { type: "text" as const, text } })),
    fc.record({
      type: fc.constant("diff" as const),
      path: words.map((name) => `/${name}`),
      oldText: fc.option(words),
      newText: words,
    }),
  ),
  { maxLength: 2 },
);

const call = fc
  .record({
    announced: fc.boolean(),
    runs: fc.boolean(),
    progress: fc.array(content, { maxLength: 2 }),
    title: words,
    content,
    status: fc.constantFrom("completed" as const, "failed" as const),
    output: words,
    newTitle: fc.option(words, { nil: undefined }),
  })
  .map((made) => (callId: string): TaskRun => {
    const called: SessionRecord = {
      kind: "tool-called",
      at: 0,
      stepId,
      callId,
      tool: "edit",
      input: { path: made.title },
      view: { title: made.title, kind: "edit", locations: [], content: made.content },
    };
    const ended: SessionRecord = {
      kind: "tool-ended",
      at: 0,
      callId,
      status: made.status,
      output: made.output,
      content: made.content,
      rawOutput: { output: made.output },
      ...(made.newTitle !== undefined && { title: made.newTitle }),
    };
    const live: AgentEvent[] = [
      ...(made.announced
        ? [{ kind: "tool-announced", stepId, callId, tool: "edit" } as const]
        : []),
      called,
      ...(made.runs ? [{ kind: "tool-running", callId } as const] : []),
      ...made.progress.map(
        (shown) => ({ kind: "tool-progressed", callId, view: { content: shown } }) as const,
      ),
      ended,
    ];
    return { live, kept: [called, ended] };
  });

const other = fc
  .oneof(
    words.map((title): SessionRecord => ({ kind: "title-changed", at: 0, title })),
    words.map((step): SessionRecord => ({
      kind: "plan-changed",
      at: 0,
      entries: [{ content: step, priority: "medium", status: "pending" }],
    })),
    words.map((title): SessionRecord => ({
      kind: "notice-given",
      at: 0,
      severity: "info",
      title: `!${title}`,
    })),
    words.map((problem): SessionRecord => ({
      kind: "attachments-refused",
      at: 0,
      modelId: "m",
      attachments: [{ id: "p", index: 0 }],
      problem,
    })),
    words.map((summary): SessionRecord => ({
      kind: "compacted",
      at: 0,
      compactionId: "c",
      summary,
      keepFrom: null,
    })),
  )
  .map((record) => (): TaskRun => ({ live: [record], kept: [record] }));

const transcript = fc.array(fc.oneof(part, call, other), { maxLength: 12 }).map((makers) => {
  const played = makers.map((make, index) => make(`id-${index}`));
  return {
    live: played.flatMap(({ live }) => live),
    kept: played.flatMap(({ kept }) => kept),
  };
});

const clients = fc.constantFrom<ClientCapabilities>(
  {},
  { session: { notices: {}, compaction: {} } },
);

test("a replay shows the same as the live session", () => {
  fc.assert(
    fc.property(transcript, clients, ({ live, kept }, capabilities) => {
      const shown = screenOf(project(live, true, capabilities));
      expect(screenOf(project(kept, false, capabilities))).toEqual(shown);
    }),
  );
});

test("a session that is cut anywhere shows the same when it is replayed", () => {
  fc.assert(
    fc.property(transcript, fc.nat(), ({ kept }, cut) => {
      const whole = project(kept, false);
      const at = cut % (kept.length + 1);
      const projector = new Projector({ live: false, capabilities: {}, configOptions: () => [] });
      const pieces = [kept.slice(0, at), kept.slice(at)].flatMap((records) =>
        records.flatMap((record) => projector.updates(record)),
      );
      expect(pieces).toEqual(whole);
    }),
  );
});

test("every update conforms to ACP", () => {
  fc.assert(
    fc.property(transcript, clients, fc.boolean(), ({ live }, capabilities, isLive) => {
      for (const update of project(live, isLive, capabilities)) {
        const notification = { sessionId: "s", update };
        expect(validateAcp("SessionNotification", notification, { unstable: true })).toEqual([]);
      }
    }),
    { numRuns: 50 },
  );
});

const ended = {
  kind: "tool-ended",
  at: 0,
  callId: "1",
  status: "completed",
  output: "done",
  content: [{ type: "content", content: { type: "text", text: "done" } }],
  terminalId: "t",
  rawOutput: {},
} as const satisfies SessionRecord;
const announced = { kind: "tool-announced", stepId, callId: "1", tool: "bash" } as const;

test("a terminal is shown while the client has it, and its text afterwards", () => {
  expect(project([announced, ended], true).at(-1)).toMatchObject({
    content: [{ type: "terminal", terminalId: "t" }],
  });
  expect(project([announced, ended], false).at(-1)).toMatchObject({ content: ended.content });
});

test("an unannounced call does not end, and a call ends once", () => {
  expect(project([ended], true)).toEqual([]);
  expect(project([announced, ended, ended], true)).toHaveLength(2);
});

test("a prompt is replayed, but not sent back to its author", () => {
  const prompt: SessionRecord = {
    kind: "prompt-sent",
    at: 0,
    promptId: "p",
    content: [{ type: "text", text: "hi" }],
    parts: [],
  };
  expect(project([prompt], true)).toEqual([]);
  expect(project([prompt], false)).toMatchObject([{ sessionUpdate: "user_message_chunk" }]);
});

test("a failed turn is reported in the replay; live it was the response", () => {
  const failed = {
    kind: "turn-ended",
    at: 0,
    promptId: "p",
    stopReason: "failed",
    error: "no money",
  } as const;
  expect(project([failed], true)).toEqual([]);
  expect(JSON.stringify(project([failed], false))).toContain("no money");
});

test("retries and summaries are reported in a form that the client supports", () => {
  const events: AgentEvent[] = [
    { kind: "retry-scheduled", attempt: 1, delayMs: 1_500, reason: "busy" },
    { kind: "compaction-changed", compactionId: "c", status: "started" },
    { kind: "compaction-changed", compactionId: "c", status: "failed", error: "no" },
  ];
  const knowing = project(events, true, { session: { notices: {}, compaction: {} } });
  expect(knowing.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "notice",
    "compaction_update",
    "compaction_update",
  ]);
  const plain = project(events, true);
  expect(plain.every(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")).toBe(true);
  expect(JSON.stringify(plain)).toContain("trying again in 2 s");
});
