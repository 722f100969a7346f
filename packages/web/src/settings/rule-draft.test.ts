import { expect, test } from "vitest";
import { ruleOf } from "./rule-draft.ts";

test("a draft is a rule when it has a value", () => {
  const draft = {
    decision: "allow",
    subject: "commandPrefix",
    value: " npm test ",
    folder: "/a",
  } as const;
  expect(ruleOf(draft)).toEqual({
    decision: "allow",
    what: { commandPrefix: "npm test" },
    where: { in: "project", folder: "/a" },
  });
  expect(ruleOf({ ...draft, folder: "" })?.where).toEqual({ in: "everywhere" });
  expect(ruleOf({ ...draft, value: "  " })).toBeNull();
  const reads = { ...draft, subject: "onlyReads", value: "" } as const;
  expect(ruleOf(reads)?.what).toEqual({ onlyReads: true });
});
