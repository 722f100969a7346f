import { emptyView, fold, type EventBody } from "@landline/protocol";
import { expect, test } from "vitest";
import { requestItemOf, toolCallOf } from "./request-lookup.ts";

function viewOf(...bodies: readonly EventBody[]) {
  return bodies.reduce(
    (view, body) => fold(view, [{ seq: view.head + 1, at: 0, ...body }]),
    emptyView(),
  );
}

const tool = (toolCallId: string): EventBody => ({
  kind: "update",
  update: { sessionUpdate: "tool_call", toolCallId, title: toolCallId },
});
const ask = (askId: string, toolCallId: string): EventBody => ({
  kind: "ask-opened",
  askId,
  ask: "permission",
  toolCall: { toolCallId, title: toolCallId },
  options: [],
});

test("each request finds its tool call, whether that was reported before it or only by it", () => {
  const view = viewOf(tool("t1"), tool("t2"), ask("a1", "t1"), tool("t3"), ask("a2", "new"));
  const found = view.openAsks.map((open) => {
    const item = requestItemOf(view, open);
    return item?.ask === "permission" ? toolCallOf(view, item)?.toolCallId : null;
  });
  expect(found).toEqual(["t1", "new"]);
});

test("a request that is not in the view finds nothing", () => {
  const view = viewOf(tool("t1"), ask("a1", "t1"));
  const [open] = view.openAsks;
  const item = requestItemOf(view, open!);
  expect(requestItemOf(emptyView(), open!)).toBeNull();
  expect(item?.ask === "permission" && toolCallOf(emptyView(), item)).toBeNull();
});
