import { expect, test } from "vitest";
import { composerNote, type ComposerFacts } from "./composer-words.ts";

const ordinary: ComposerFacts = {
  line: "live",
  isClosed: false,
  agent: "running",
  isNew: false,
  turn: "idle",
  isAsked: false,
  isStopArmed: false,
  isEmpty: true,
  hasKeys: true,
};

test.each<[Partial<ComposerFacts>, RegExp]>([
  [{}, /^nothing$/],
  [{ line: "offline" }, /when the line is back/],
  [{ agent: "none", isNew: true }, /is starting/],
  [{ agent: "none" }, /^nothing$/],
  [{ isClosed: true, agent: "exited" }, /closed/],
  [{ isClosed: true, turn: "running" }, /^nothing$/],
  [{ turn: "running", isStopArmed: true, line: "offline" }, /Esc again/],
  [{ turn: "cancelling" }, /Stopping/],
  [{ isAsked: true, turn: "running" }, /Esc to go there/],
  [{ isAsked: true, turn: "running", hasKeys: false }, /^nothing$/],
  [{ isAsked: true, turn: "running", isEmpty: false }, /^nothing$/],
])("%o", (facts, words) => {
  expect(composerNote({ ...ordinary, ...facts }) ?? "nothing").toMatch(words);
});
