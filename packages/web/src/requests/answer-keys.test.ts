// @vitest-environment happy-dom
import { kindUnknown } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import { answerKeyAction, takesKeys, type AnswerKeyContext } from "./answer-keys.ts";

const options: AnswerKeyContext["options"] = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const facts: AnswerKeyContext = {
  key: "a",
  hasModifier: false,
  isTyping: false,
  isInEmptyMessage: false,
  isOnCard: true,
  options,
  openCount: 2,
};
const press = (key: string, other: Partial<AnswerKeyContext> = {}) =>
  answerKeyAction({ ...facts, key, ...other });

describe("keys", () => {
  test.each([
    ["1", "always"],
    ["2", "once"],
    ["3", "no"],
    ["a", "once"],
    ["r", "no"],
  ])("%s chooses %s", (key, optionId) => {
    expect(press(key)).toEqual({ do: "choose", optionId });
  });

  test.each(["Enter", " ", "4", "0", "A", "y", "Escape"])("%s does nothing", (key) => {
    expect(press(key)).toBeNull();
  });

  test("n goes to the next request if there is one", () => {
    expect(press("n")).toEqual({ do: "next" });
    expect(press("n", { openCount: 1 })).toBeNull();
  });

  test("a key that was meant for something else does not answer", () => {
    expect(press("a", { hasModifier: true })).toBeNull();
    expect(press("a", { isTyping: true })).toBeNull();
    expect(press("1", { isTyping: true })).toBeNull();
  });

  test("from the empty message field digits answer, and letters are text", () => {
    const there = { isTyping: true, isInEmptyMessage: true, isOnCard: false };
    expect(press("2", there)).toEqual({ do: "choose", optionId: "once" });
    expect(press("3", there)).toEqual({ do: "choose", optionId: "no" });
    for (const key of ["4", "a", "r", "n"]) expect(press(key, there)).toBeNull();
    expect(press("2", { ...there, hasModifier: true })).toBeNull();
  });

  test.each([
    ["the empty message field", { isTyping: true, isInEmptyMessage: true }],
    ["elsewhere on the page", {}],
  ])("from %s no key chooses an option that lasts or may last", (_, where) => {
    const there = { ...where, isOnCard: false };
    expect(press("1", there)).toBeNull();
    const never: AnswerKeyContext["options"][number] = {
      optionId: "never",
      name: "Never",
      kind: "reject_always",
    };
    expect(press("1", { ...there, options: [never] })).toBeNull();
    const guess = { ...options[1]!, _meta: { [kindUnknown]: true } };
    expect(press("1", { ...there, options: [guess] })).toBeNull();
    expect(press("1", { options: [never] })).toEqual({ do: "choose", optionId: "never" });
  });

  test("a letter never chooses an option whose kind is a guess", () => {
    const [always, once, no] = options;
    const guessed = [always!, { ...once!, _meta: { [kindUnknown]: true } }, no!];
    expect(press("a", { options: guessed })).toBeNull();
    expect(press("2", { options: guessed })).toEqual({ do: "choose", optionId: "once" });
  });
});

test.each([
  ["<textarea></textarea>", true],
  ["<input>", true],
  ["<select></select>", true],
  ['<div contenteditable="true"></div>', true],
  ["<input type=checkbox>", false],
  ["<button></button>", false],
  ["<div></div>", false],
])("%s handles keys: %s", (html, isTaken) => {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  expect(takesKeys(holder.firstElementChild)).toBe(isTaken);
  // An overlay of any kind.
  holder.setAttribute("role", "dialog");
  expect(takesKeys(holder.firstElementChild)).toBe(true);
});
