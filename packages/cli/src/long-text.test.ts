import { decodeEvent } from "@landline/protocol";
import { expect, it } from "vitest";
import { withLongText } from "./long-text.ts";

const far = (hash: string) => ({ $blob: hash, bytes: 300_000 });
const read = (body: object) => {
  const text = (_name: string, input: object) => {
    const { hash, session } = input as { hash: string; session: string };
    return Promise.resolve(`${hash} of ${session}`);
  };
  return withLongText(decodeEvent({ seq: 1, at: 0, ...body }), "s", { text });
};

it("restores the text of a message", async () => {
  const update = {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: far("m") },
  };
  expect(await read({ kind: "update", update })).toMatchObject({
    update: { content: { type: "text", text: "m of s" } },
  });
});

it("restores the long texts of requests", async () => {
  const content = [
    { type: "content", content: { type: "text", text: far("why") } },
    { type: "diff", path: "/a", oldText: far("old"), newText: "new" },
  ];
  const ask = { kind: "ask-opened", askId: "a", ask: "permission", options: [] };
  expect(await read({ ...ask, toolCall: { toolCallId: "c", content } })).toMatchObject({
    toolCall: {
      toolCallId: "c",
      content: [
        { content: { text: "why of s" } },
        { path: "/a", oldText: "old of s", newText: "new" },
      ],
    },
  });
});

it("returns a complete event unchanged", async () => {
  const event = decodeEvent({ seq: 1, at: 0, kind: "prompt-withdrawn", promptId: "p", by: "me" });
  expect(await withLongText(event, "s", { text: () => Promise.reject(new Error("asked")) })).toBe(
    event,
  );
});
