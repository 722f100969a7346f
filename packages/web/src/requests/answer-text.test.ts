import type { QuestionItem } from "@landline/protocol";
import { expect, test } from "vitest";
import { answerText } from "./answer-text.ts";

const properties = {
  name: { type: "string", title: "Name" },
  after: {
    type: "string",
    title: "After that",
    oneOf: [{ const: "lock", title: "Lock the account" }],
  },
  days: { type: "array", title: "Days", items: { enum: ["Monday", "Friday"] } },
  mail: { type: "boolean", title: "Mail" },
  code: { type: "string", title: "Code", writeOnly: true },
  apiKey: { type: "string", title: "Key" },
};

function answered(outcome: Readonly<Record<string, unknown>> & { readonly action: string }) {
  const item = {
    key: "ask-1",
    first: 1,
    last: 1,
    at: 0,
    type: "ask",
    askId: "q",
    ask: "question",
    request: {
      mode: "form",
      sessionId: "a",
      message: "?",
      requestedSchema: { type: "object", properties },
    },
    settled: null,
  } as QuestionItem;
  return answerText(item, { at: 0, outcome, by: { client: "me" } });
}

test("shows each value with its label, and choices by their title", () => {
  const content = { name: "login", after: "lock", days: ["Monday", "Friday"], mail: false };
  expect(answered({ action: "accept", content })).toBe(
    "Name: login, After that: Lock the account, Days: Monday, Friday, Mail: no",
  );
});

test("a single value has no label", () => {
  expect(answered({ action: "accept", content: { name: "login" } })).toBe("login");
});

test("a secret is hidden, whether its format or its name marks it", () => {
  const content = { name: "login", code: "1234", apiKey: "sk-1" };
  const words = answered({ action: "accept", content });
  expect(words).toBe("Name: login, Code: (not shown), Key: (not shown)");
});

test("returns null if there was no answer", () => {
  expect(answered({ action: "decline" })).toBeNull();
  expect(answered({ action: "accept" })).toBeNull();
  expect(answered({ action: "accept", content: "text" })).toBeNull();
  expect(answered({ action: "accept", content: { other: 1 } })).toBeNull();
});

test("a long answer is truncated", () => {
  const words = answered({ action: "accept", content: { name: "x".repeat(10_000) } });
  expect(words?.length).toBeLessThan(600);
});
