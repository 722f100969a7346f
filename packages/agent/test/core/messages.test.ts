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

  test("go to models that take them, under the type that providers know", () => {
    const [message] = read([prompt(picture)], seeing);
    expect(message?.content).toEqual([
      { type: "file", data: { type: "data", data: "iVBORw==" }, mediaType: "image/jpeg" },
    ]);
  });

  test("are told in words to models that don't, or when no provider takes the type", () => {
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

  test("are read when they are text", () => {
    const blob = Buffer.from('{"a":1}').toString("base64");
    const file = { uri: "file:///a.json", blob, mimeType: "application/json; charset=utf-8" };
    const [message] = read([prompt({ type: "resource", resource: file })]);
    expect(message?.content).toEqual([{ type: "text", text: '[file:///a.json]\n{"a":1}' }]);
  });
});

describe("results of calls", () => {
  const attachments = [{ mimeType: "image/png", data: "iVBORw==", name: "shot.png" }];

  test("bring their pictures after them, as what they are", () => {
    const messages = read(callTurn("c", { attachments }), seeing);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "text", text: expect.stringContaining("shot.png") },
      { type: "file", mediaType: "image/png" },
    ]);
  });

  test("say so where a model can't take them", () => {
    const messages = read(callTurn("c", { attachments }));
    expect(messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "text", value: expect.stringContaining("shot.png") } }],
    });
  });

  test("are never blank", () => {
    expect(read(callTurn("c", { output: "\n" })).at(-1)).toMatchObject({
      content: [{ output: { value: "(no output)" } }],
    });
  });
});

describe("what one model wrote", () => {
  const signature = { test: { signature: "s" } };
  const thinking: SessionRecord[] = [
    sent("p"),
    started("s", "p"),
    { kind: "thought-added", at: 0, stepId: "s", partId: "1", text: "Hm", provider: signature },
    { ...answered("s", "Hello."), provider: signature } as SessionRecord,
  ];
  const other = { ...info, id: "other/model", provider: "other" };

  test("goes back to it with what it wants back, and to another without", () => {
    const records = [...thinking, stepEnded("s"), turnEnded("p")];
    expect(read(records)[1]?.content).toEqual([
      { type: "reasoning", text: "Hm", providerOptions: signature },
      { type: "text", text: "Hello.", providerOptions: signature },
    ]);
    expect(read(records, other)[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
  });

  test("goes back plain when it was cut: half an answer has no signature that counts", () => {
    const messages = read([...thinking, stepEnded("s", "cancelled"), turnEnded("p"), sent("q")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
    expect(messages[2]?.content).toEqual([
      { type: "text", text: "(I stopped you there.)" },
      { type: "text", text: "q" },
    ]);
  });

  test("is named in a way that providers take, the call and its result alike", () => {
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
  // Forty thousand tokens are kept, and twenty thousand at least are taken out at once.
  const long = (callId: string) => [
    ...callTurn(callId, { output: "x".repeat(60_000) }),
    turnEnded(`p-${callId}`),
  ];
  const takenOut = (records: SessionRecord[]) =>
    JSON.stringify(read(records)).split("was taken out").length - 1;

  test("are taken out in one go, and then no more until it is worth it again", () => {
    const counts: number[] = [];
    const records: SessionRecord[] = [];
    for (let number = 0; number < 8; number += 1) {
      records.push(...long(`c${number}`));
      counts.push(takenOut([...records, sent("next")]));
    }
    // A call has 15,000 tokens: two are kept, and those before go in pairs.
    expect(counts).toEqual([0, 0, 0, 2, 2, 4, 4, 6]);
  });

  test("stay as they are within a turn, whatever it adds", () => {
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

  test("takes the prompt and all that came of it out, and a redo brings them back", () => {
    const records = [...turn("a", "One."), ...turn("b", "Two.")];
    const undone = [...records, restored("undo", "b")];
    expect(JSON.stringify(read(undone))).not.toContain("Two.");
    expect(read([...undone, restored("redo", "b")])).toEqual(read(records));
  });

  test("of what is in a summary takes the summary back too", () => {
    const records = [...turn("a", "One."), ...turn("b", "Two."), compacted(null)];
    expect(JSON.stringify(read(records))).not.toContain("One.");
    const undone = [...records, restored("undo", "b")];
    expect(JSON.stringify(read(undone))).not.toContain("The summary.");
    expect(JSON.stringify(read(undone))).toContain("One.");
    expect(read([...undone, restored("redo", "b")])).toEqual(read(records));
  });

  test("of what came after a summary leaves it", () => {
    const records = [...turn("a", "One."), compacted(null), ...turn("b", "Two.")];
    const messages = JSON.stringify(read([...records, restored("undo", "b")]));
    expect(messages).toContain("The summary.");
    expect(messages).not.toContain("Two.");
  });
});
