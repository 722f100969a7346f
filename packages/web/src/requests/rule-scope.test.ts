import type { NewRule } from "@landline/client";
import { expect, test } from "vitest";
import { distinctRules, ruleWithScope, ruleSubjectText } from "./rule-scope.ts";

const here = { sessionId: "s", folder: "/repo" };
const rule = (what: NewRule["what"], where: NewRule["where"]): NewRule => ({
  decision: "allow",
  what,
  where,
});
const narrow = rule({ commandPrefix: "npm test" }, { in: "session", sessionId: "s" });

test("a rule with another scope is otherwise unchanged", () => {
  expect(ruleWithScope(narrow, null, here)).toBe(narrow);
  expect(ruleWithScope(narrow, "session", here)).toBe(narrow);
  expect(ruleWithScope(narrow, "project", here)).toEqual({
    ...narrow,
    where: { in: "project", folder: "/repo" },
  });
  expect(ruleWithScope(narrow, "everywhere", here).where).toEqual({ in: "everywhere" });
});

test("each subject once, with its narrowest scope", () => {
  const wide = rule({ commandPrefix: "npm test" }, { in: "project", folder: "/repo" });
  const other = rule({ toolKind: "execute" }, { in: "project", folder: "/repo" });
  const all = [narrow, wide, other].map((one) => ({
    rule: one,
    text: "",
    notes: [],
    isRisky: false,
  }));
  expect(distinctRules(all).map((one) => one.rule)).toEqual([narrow, other]);
});

test.each<[NewRule["what"], string]>([
  [{ commandPrefix: "npm test" }, "Commands that start with “npm test”"],
  [{ toolKind: "edit", pathGlob: "src/**" }, "Every change of a file in src/**"],
  [{ toolKind: "edit", pathGlob: "notes/a.txt" }, "Every change of notes/a.txt"],
  [{ toolKind: "delete", pathGlob: "notes/a.txt" }, "Every deletion of notes/a.txt"],
  [{ toolKind: "fetch", host: "a.com" }, "Every fetch from a.com"],
  [{ toolKind: "think" }, "Every call of the kind “think”"],
  [{ toolName: "deploy", agent: "claude" }, "Every call of “deploy” of the agent “claude”"],
  [{ toolKind: "execute", toolName: "bash" }, "Every command by “bash”"],
  [{}, "Everything"],
])("describes %j", (what, words) => {
  expect(ruleSubjectText(rule(what, { in: "everywhere" }))).toBe(words);
});
