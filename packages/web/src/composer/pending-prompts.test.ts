import { LandlineError, type QueuedPrompt } from "@landline/protocol";
import { expect, test } from "vitest";
import { movesOf, promptAfterMove, pendingPrompts } from "./pending-prompts.ts";

const queued = (promptId: string, by = "me"): QueuedPrompt => ({
  promptId,
  content: [],
  by,
  at: 0,
  first: 1,
  last: 1,
});

test("prompts of the gateway's queue come first, and each prompt appears once", () => {
  const error = new LandlineError("rate-limited");
  const outgoing = [
    { promptId: "b", content: [], at: 0, state: "sending", error: null },
    { promptId: "c", content: [], at: 0, state: "refused", error },
  ] as const;
  expect(pendingPrompts([queued("a", "anna"), queued("b")], outgoing, "me")).toMatchObject([
    { promptId: "a", state: "queued", by: "anna" },
    { promptId: "b", state: "queued", by: null },
    { promptId: "c", state: "refused", error },
  ]);
});

test("moves one position up or down", () => {
  const queue = ["a", "b", "c"].map((id) => queued(id));
  expect(promptAfterMove(queue, "b", "up")).toBe("a");
  expect(promptAfterMove(queue, "a", "down")).toBe("c");
  expect(promptAfterMove(queue, "b", "down")).toBeNull();
  expect(promptAfterMove(queue, "a", "up")).toBeUndefined();
  expect(promptAfterMove(queue, "c", "down")).toBeUndefined();
  expect(promptAfterMove(queue, "x", "up")).toBeUndefined();
});

test("the first and the last prompt move one way; a single or an unsent prompt moves nowhere", () => {
  expect([0, 1, 2, 3].map((position) => movesOf(position, 3))).toEqual([
    { up: false, down: true },
    { up: true, down: true },
    { up: true, down: false },
    null,
  ]);
  expect(movesOf(0, 1)).toBeNull();
});
