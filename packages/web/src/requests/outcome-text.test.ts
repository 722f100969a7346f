import type { AskItem } from "@landline/protocol";
import { expect, test } from "vitest";
import { me } from "../../test/fake-session.tsx";
import {
  optionText,
  outcomeText,
  outcomeTextAfterSubject,
  verdictOf,
  type Settled,
} from "./outcome-text.ts";

const permission = {
  key: "ask-1",
  first: 1,
  last: 1,
  at: 0,
  type: "ask",
  askId: "a",
  ask: "permission",
  toolCallId: null,
  options: [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "all", name: "Allow all edits", kind: "allow_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
  settled: null,
} as const satisfies AskItem;

const settled = (outcome: Settled["outcome"], by: Settled["by"]): Settled => ({
  at: 0,
  outcome,
  by,
});
const chose = (optionId: string, by: Settled["by"]) =>
  settled({ outcome: "selected", optionId }, by);

test.each([
  [chose("once", { client: "me" }), "You allowed"],
  [chose("no", { client: "anna" }), "Anna rejected"],
  [chose("all", { client: "gone" }), "Somebody else allowed"],
  [chose("all", { client: "old-phone-0a1b2c3d" }), "old phone allowed"],
  [chose("once", { rule: "r" }), "A rule allowed"],
  [
    settled({ outcome: "cancelled" }, { gateway: "turn-cancelled" }),
    "Not answered: the turn was stopped",
  ],
])("%j", (how, words) => {
  expect(outcomeText(permission, how, me)).toBe(words);
});

test.each([
  [chose("once", { client: "me" }), "you allowed it"],
  [chose("no", { client: "anna" }), "Anna rejected it"],
  [chose("once", { client: "gone" }), "somebody else allowed it"],
  [chose("once", { client: "old-phone-0a1b2c3d" }), "old phone allowed it"],
  [chose("once", { rule: "r" }), "a rule allowed it"],
  [settled({ outcome: "cancelled" }, { gateway: "timeout" }), "not answered in time"],
])("after a subject: %j", (how, words) => {
  expect(outcomeTextAfterSubject(permission, how, me)).toBe(words);
});

test("questions are answered, declined or dismissed", () => {
  const verdict = (action: string) => verdictOf(permission, settled({ action }, { client: "me" }));
  expect([verdict("accept"), verdict("decline"), verdict("cancel"), verdict("other")]).toEqual([
    "answered",
    "declined",
    "dismissed",
    "answered",
  ]);
});

test("the option's name is shown if it says more than yes or no", () => {
  expect(optionText(permission, chose("once", { client: "me" }))).toBeNull();
  expect(optionText(permission, chose("all", { client: "me" }))).toBe("Allow all edits");
});
