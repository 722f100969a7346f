import type { ContentBlock } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { toModelMessages } from "../../src/core/messages.ts";
import type { SessionRecord, ToolEnded } from "../../src/core/record.ts";
import { foldRecords } from "../../src/core/state.ts";
import type { ModelInfo } from "../../src/model/model.ts";
import {
  answered,
  called,
  created,
  ended,
  sent,
  started,
  stepEnded,
  turn,
  turnEnded,
} from "./random-histories.ts";
import { info } from "./session-fixture.ts";

const seeing: ModelInfo = { ...info, takes: { image: true, audio: false, document: true } };

function read(records: SessionRecord[], model: ModelInfo = info) {
  const state = foldRecords([created, ...records]);
  if (!state) throw new Error("no session");
  return toModelMessages(state, model);
}

function prompt(...content: ContentBlock[]): SessionRecord {
  const parts = content.map((_block, index) => ({ type: "block" as const, index }));
  return { kind: "prompt-sent", at: 0, promptId: "p", content, parts };
}

/** A turn with one call, and then an answer. */
function callTurn(callId: string, more: Partial<ToolEnded> = {}, tool = "read", modelId = info.id) {
  return [
    sent(`p-${callId}`),
    started(`s-${callId}`, `p-${callId}`, modelId),
    called(`s-${callId}`, callId, tool),
    stepEnded(`s-${callId}`, "tool-calls"),
    ended(callId, more),
  ] as SessionRecord[];
}

describe("attachments of a prompt", () => {
  const picture: ContentBlock = { type: "image", data: "iVBORw==", mimeType: "image/jpg" };

  test("are sent to models that accept them, with a type that providers know", () => {
    const [message] = read([prompt(picture)], seeing);
    expect(message?.content).toEqual([
      { type: "file", data: { type: "data", data: "iVBORw==" }, mediaType: "image/jpeg" },
    ]);
  });

  test("are described in text to models that do not accept them", () => {
    const drawing: ContentBlock = { ...picture, mimeType: "image/svg+xml" };
    for (const [block, model] of [
      [picture, info],
      [drawing, seeing],
    ] as const) {
      const [message] = read([prompt(block)], model);
      expect(message?.content).toMatchObject([
        { type: "text", text: expect.stringContaining("can't take") },
      ]);
    }
  });

  test("are inserted if they are text", () => {
    const blob = Buffer.from('{"a":1}').toString("base64");
    const file = { uri: "file:///a.json", blob, mimeType: "application/json; charset=utf-8" };
    const [message] = read([prompt({ type: "resource", resource: file })]);
    expect(message?.content).toEqual([{ type: "text", text: '[file:///a.json]\n{"a":1}' }]);
  });
});

describe("results of calls", () => {
  const attachments = [{ mimeType: "image/png", data: "iVBORw==", name: "shot.png" }];

  test("are followed by their images", () => {
    const messages = read(callTurn("c", { attachments }), seeing);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "text", text: expect.stringContaining("shot.png") },
      { type: "file", mediaType: "image/png" },
    ]);
  });

  test("say so if a model does not accept them", () => {
    const messages = read(callTurn("c", { attachments }));
    expect(messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "text", value: expect.stringContaining("shot.png") } }],
    });
  });

  test("are never empty", () => {
    expect(read(callTurn("c", { output: "\n" })).at(-1)).toMatchObject({
      content: [{ output: { value: "(no output)" } }],
    });
  });
});

describe("the output of a model", () => {
  const signature = { test: { signature: "s" } };
  const thinking: SessionRecord[] = [
    sent("p"),
    started("s", "p"),
    { kind: "thought-added", at: 0, stepId: "s", partId: "1", text: "Hm", provider: signature },
    { ...answered("s", "Hello."), provider: signature } as SessionRecord,
  ];
  const other = { ...info, id: "other/model", provider: "other" };

  test("is returned to it with provider metadata, and to another model without", () => {
    const records = [...thinking, stepEnded("s"), turnEnded("p")];
    expect(read(records)[1]?.content).toEqual([
      { type: "reasoning", text: "Hm", providerOptions: signature },
      { type: "text", text: "Hello.", providerOptions: signature },
    ]);
    expect(read(records, other)[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
  });

  test("is returned without metadata if it was cut, because its signature would be invalid", () => {
    const messages = read([...thinking, stepEnded("s", "cancelled"), turnEnded("p"), sent("q")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
    expect(messages[2]?.content).toEqual([
      { type: "text", text: "(I stopped you there.)" },
      { type: "text", text: "q" },
    ]);
  });

  test("has names that providers accept, in the call and in its result", () => {
    const records = callTurn("functions.read:0", {}, "functions.read");
    const [own, foreign, mistral] = [info, other, { ...other, provider: "mistral" }].map((model) =>
      JSON.stringify(read(records, model).slice(1)),
    );
    expect(own?.match(/"toolCallId":"functions\.read:0"/gu)).toHaveLength(2);
    expect(own?.match(/"toolName":"functions_read"/gu)).toHaveLength(2);
    expect(new Set(foreign?.match(/"toolCallId":"[A-Za-z0-9_-]{1,40}"/gu)).size).toBe(1);
    expect(mistral?.match(/"toolCallId":"[A-Za-z0-9]{9}"/gu)).toHaveLength(2);
  });
});

describe("old outputs", () => {
  // Forty thousand tokens are kept, and at least twenty thousand are removed at once.
  const long = (callId: string) => [
    ...callTurn(callId, { output: "x".repeat(60_000) }),
    turnEnded(`p-${callId}`),
  ];
  const takenOut = (records: SessionRecord[]) =>
    JSON.stringify(read(records)).split("was taken out").length - 1;

  test("are removed in one step, and then not until it is worthwhile again", () => {
    const counts: number[] = [];
    const records: SessionRecord[] = [];
    for (let number = 0; number < 8; number += 1) {
      records.push(...long(`c${number}`));
      counts.push(takenOut([...records, sent("next")]));
    }
    // A call has 15,000 tokens: two are kept, and older ones are removed in pairs.
    expect(counts).toEqual([0, 0, 0, 2, 2, 4, 4, 6]);
  });

  test("are not removed within a turn", () => {
    const before = ["a", "b", "c"].flatMap(long);
    expect(takenOut([...before, ...callTurn("d", { output: "x".repeat(60_000) })])).toBe(0);
  });
});

describe("an undo", () => {
  const compacted = (keepFrom: string | null): SessionRecord => {
    return { kind: "compacted", at: 0, compactionId: "c", summary: "The summary.", keepFrom };
  };
  const restored = (direction: "undo" | "redo", promptId: string): SessionRecord => {
    return { kind: "files-restored", at: 0, direction, promptId, paths: [] };
  };

  test("removes the prompt and its results, and a redo restores them", () => {
    const records = [...turn("a", "One."), ...turn("b", "Two.")];
    const undone = [...records, restored("undo", "b")];
    expect(JSON.stringify(read(undone))).not.toContain("Two.");
    expect(read([...undone, restored("redo", "b")])).toEqual(read(records));
  });

  test("of a prompt in a summary removes the summary too", () => {
    const records = [...turn("a", "One."), ...turn("b", "Two."), compacted(null)];
    expect(JSON.stringify(read(records))).not.toContain("One.");
    const undone = [...records, restored("undo", "b")];
    expect(JSON.stringify(read(undone))).not.toContain("The summary.");
    expect(JSON.stringify(read(undone))).toContain("One.");
    expect(read([...undone, restored("redo", "b")])).toEqual(read(records));
  });

  test("of a prompt after a summary keeps it", () => {
    const records = [...turn("a", "One."), compacted(null), ...turn("b", "Two.")];
    const messages = JSON.stringify(read([...records, restored("undo", "b")]));
    expect(messages).toContain("The summary.");
    expect(messages).not.toContain("Two.");
  });
});
