// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import {
  answerDraftId,
  deleteSettledDrafts,
  storeAnswerDraft,
  readAnswerDraft,
  type AnswerDraft,
} from "./answer-draft.ts";

beforeEach(() => localStorage.clear());

const draft = (part: Partial<AnswerDraft>): AnswerDraft => ({
  note: "",
  answers: {},
  secrets: {},
  ...part,
});
const keep = (id: string, part: Partial<AnswerDraft>) =>
  storeAnswerDraft(id, draft(part), localStorage);
const read = (id: string) => readAnswerDraft(id, localStorage);
const all = () => Object.values(localStorage).join("");

test("each request has its own draft, and an emptied one is deleted", () => {
  expect(keep("s one", { note: "Use make" })).toBe(true);
  expect(keep("s two", { answers: { name: "Ada", on: true, colours: ["red"] } })).toBe(true);
  expect(read("s one")).toEqual(draft({ note: "Use make" }));
  expect(read("s two")).toEqual(draft({ answers: { name: "Ada", on: true, colours: ["red"] } }));
  keep("s one", {});
  expect(read("s one")).toEqual(draft({}));
});

test("a secret is not stored, and the result says so", () => {
  expect(keep("s one", { answers: { name: "Ada" }, secrets: { pass: "hunter2" } })).toBe(false);
  expect(all()).toContain("Ada");
  expect(all()).not.toContain("hunter2");
  expect(read("s one")).toEqual(draft({ answers: { name: "Ada" } }));
});

test("keeps the latest thirty drafts and no very long one", () => {
  for (let count = 0; count < 40; count += 1) keep(`s ${count}`, { note: "x" });
  expect(read("s 9")).toEqual(draft({}));
  expect(read("s 10")).toEqual(draft({ note: "x" }));
  expect(keep("s long", { note: "x".repeat(50_001) })).toBe(false);
  expect(read("s long")).toEqual(draft({}));
});

test("deletes the drafts of settled requests of this session only", () => {
  for (const id of ["s p1", "s p2", "t p1"]) keep(id, { note: id });
  deleteSettledDrafts("s", [{ askId: "p2" }]);
  expect(read(answerDraftId("s", "p1")).note).toBe("");
  expect(read(answerDraftId("s", "p2")).note).toBe("s p2");
  expect(read(answerDraftId("t", "p1")).note).toBe("t p1");
});

test.each([
  "",
  "{",
  "[1,null,{}]",
  '[{"id":"s one","note":1,"answers":{}}]',
  '[{"id":"s one","note":"x","answers":{"name":{"deep":1}}}]',
  '[{"id":"s one","note":"x","answers":[]}]',
])("ignores what is not a draft: %s", (value) => {
  localStorage.setItem("landline.ask-drafts", value);
  expect(read("s one")).toEqual(draft({}));
  keep("s one", { note: "y" });
  expect(read("s one").note).toBe("y");
});

test("a browser without storage causes no error", () => {
  expect(storeAnswerDraft("s one", draft({ note: "x" }), null)).toBe(false);
  expect(storeAnswerDraft("s one", draft({}), null)).toBe(true);
  expect(readAnswerDraft("s one", null)).toEqual(draft({}));
});
