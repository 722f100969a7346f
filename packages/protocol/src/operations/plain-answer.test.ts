import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { contracts } from "./contracts.ts";
import { bounds, commandId } from "./fields.ts";
import { readPlainAnswer } from "./plain-answer.ts";

const schema = contracts.answer.input.safeExtend({ id: commandId, type: z.literal("answer") });

const answer = {
  id: 1,
  type: "answer",
  sessionId: "s",
  askId: "a",
  outcome: { outcome: "selected", optionId: "allow" },
};

test("a plain answer is read without the schema", () => {
  expect(readPlainAnswer(answer)).toEqual(answer);
  expect(readPlainAnswer({ ...answer, id: "x" })).toEqual({ ...answer, id: "x" });
});

test.each([
  null,
  [],
  { ...answer, type: "cancel" },
  { ...answer, outcome: { optionId: "allow" } },
  { ...answer, outcome: { ...answer.outcome, _meta: {} } },
  { ...answer, outcome: { outcome: "cancelled" } },
  { ...answer, note: "use pnpm" },
  { ...answer, more: true },
])("%j is left to the schema", (sent) => {
  expect(readPlainAnswer(sent)).toBeNull();
});

test("the result is the same as with the schema", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("", "\0", "a\0b", "x".repeat(bounds.idLength)),
    fc.constant("x".repeat(bounds.idLength + 1)),
  );
  const odd = fc.oneof(text, fc.double(), fc.integer(), fc.constantFrom(null, undefined, -0, {}));
  const outcome = fc.record(
    { outcome: fc.constantFrom("selected", "cancelled", 5), optionId: odd, _meta: odd },
    { requiredKeys: ["outcome"] },
  );
  const sent = fc.record(
    {
      id: odd,
      type: fc.constantFrom("answer", "cancel"),
      sessionId: odd,
      askId: odd,
      outcome,
      note: odd,
    },
    { requiredKeys: ["type", "outcome"] },
  );
  fc.assert(
    fc.property(sent, (message) => {
      const { data } = schema.safeParse(message);
      expect(readPlainAnswer(message) ?? data).toEqual(data);
    }),
    { examples: [[answer as never]] },
  );
});
