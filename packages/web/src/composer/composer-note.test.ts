import { expect, test } from "vitest";
import { composerNote, type ComposerState } from "./composer-note.ts";

const ordinary: ComposerState = {
  line: "live",
  isClosed: false,
  agent: "running",
  waiting: undefined,
  isNew: false,
  turn: "idle",
  isAsked: false,
  isAtAsk: false,
  isEmpty: true,
  hasKeys: true,
  digits: ["1", "3"],
};

test.each<[Partial<ComposerState>, RegExp]>([
  [{}, /^nothing$/],
  [{ line: "offline" }, /when the connection is back/],
  [{ agent: "none", isNew: true }, /is starting/],
  [{ agent: "none" }, /^nothing$/],
  [
    { agent: "none", isNew: true, waiting: { running: 8, limit: 8 } },
    /^Waiting for a free agent: 8 of 8 are running\.$/,
  ],
  [{ isClosed: true, agent: "exited" }, /closed/],
  [{ isClosed: true, turn: "running" }, /^nothing$/],
  [{ turn: "cancelling" }, /Stopping/],
  [{ isAsked: true, turn: "running" }, /^Press 1 or 3 to answer, or Esc to go to the request\.$/],
  [{ isAsked: true, turn: "running", digits: ["1"] }, /^Press 1 to answer, or Esc/],
  [{ isAsked: true, turn: "running", digits: ["1", "2", "3"] }, /^Press 1, 2 or 3 to answer/],
  [{ isAsked: true, turn: "running", digits: [] }, /^Press Esc to go to the request\.$/],
  [{ isAsked: true, isAtAsk: true, turn: "running" }, /^Press the number of an option\.$/],
  [
    { isAsked: true, isAtAsk: true, turn: "running", digits: null },
    /^An answer is needed above\.$/,
  ],
  [{ isAsked: true, turn: "running", digits: null }, /^Press Esc to go to the request\.$/],
  [{ isAsked: true, turn: "running", hasKeys: false }, /^nothing$/],
  [{ isAsked: true, turn: "running", isEmpty: false }, /^nothing$/],
])("%o", (facts, words) => {
  expect(composerNote({ ...ordinary, ...facts }) ?? "nothing").toMatch(words);
});
