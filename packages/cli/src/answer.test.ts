import { kindUnknown, sandboxRequest, type AskOpened } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { allowingAnswer, chosenAnswer, optionLines, refusingAnswer } from "./answer.ts";
import { question } from "../test/question.ts";

type Options = Extract<AskOpened, { ask: "permission" }>["options"];

const permission = (options: Options): AskOpened => ({
  kind: "ask-opened",
  askId: "a",
  ask: "permission",
  toolCall: { toolCallId: "c" },
  options,
});
const option = (optionId: string, kind: Options[number]["kind"]) => ({
  optionId,
  name: optionId,
  kind,
});
const all = permission([
  option("aa", "allow_always"),
  option("ao", "allow_once"),
  option("ra", "reject_always"),
  option("ro", "reject_once"),
]);
const selected = (optionId: string) => ({ outcome: "selected", optionId });

describe("a permission request", () => {
  it("is allowed and rejected once, if that is offered", () => {
    expect(allowingAnswer(all)).toEqual(selected("ao"));
    expect(refusingAnswer(all)).toEqual(selected("ro"));
    expect(allowingAnswer(permission([option("aa", "allow_always")]))).toEqual(selected("aa"));
    expect(refusingAnswer(permission([option("ra", "reject_always")]))).toEqual(selected("ra"));
  });

  it("is never allowed by an option whose kind is a guess", () => {
    const guess = { ...option("ok", "allow_once"), _meta: { [kindUnknown]: true } };
    expect(allowingAnswer(permission([guess]))).toBeNull();
  });

  it("is never allowed if it lets a command out of the sandbox", () => {
    const options = [option("ao", "allow_once"), option("ro", "reject_once")];
    const toolCall = { toolCallId: "c", _meta: { [sandboxRequest]: {} } };
    const leaving = { ...permission(options), toolCall } as AskOpened;
    expect(allowingAnswer(leaving)).toBeNull();
    expect(refusingAnswer(leaving)).toEqual(selected("ro"));
  });

  it("without an option to reject is cancelled", () => {
    expect(refusingAnswer(permission([option("ao", "allow_once")]))).toEqual({
      outcome: "cancelled",
    });
    expect(allowingAnswer(permission([]))).toBeNull();
  });

  it("is answered by the number of an option", () => {
    expect(optionLines(all)[0]).toBe("  1. aa (allow always)");
    expect(chosenAnswer(all, " 4 ")).toEqual(selected("ro"));
    for (const typed of ["0", "5", "-1", "1.5", "yes", "", "1e0"])
      expect(chosenAnswer(all, typed)).toBeNull();
  });
});

it("a question is not answered by a number, nor by a yes", () => {
  expect(allowingAnswer(question)).toBeNull();
  expect(chosenAnswer(question, "1")).toBeNull();
  expect(refusingAnswer(question)).toEqual({ action: "cancel" });
});
