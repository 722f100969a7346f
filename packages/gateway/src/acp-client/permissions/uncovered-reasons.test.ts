import { describe, expect, it } from "vitest";
import {
  editing,
  factsOf,
  running,
  type TestCall,
} from "../../../test/permissions/corpus/any-call.ts";
import { keptRule } from "../../../test/permissions/corpus/any-rule.ts";
import { reasonsNotCovered } from "./uncovered-reasons.ts";
import type { NewRule, RuleSubject } from "./rule.ts";

const npmTest = { commandPrefix: "npm test" };
const reasons = async (call: TestCall, ...whats: readonly RuleSubject[]) =>
  reasonsNotCovered(
    whats.map((what) => keptRule({ what })),
    await factsOf(call),
  );

describe("an allow rule that matches a call but does not cover it", () => {
  it.each<readonly [string, TestCall, RuleSubject, readonly string[]]>([
    [
      "a place outside",
      running("npm test /etc/passwd"),
      npmTest,
      ["/etc/passwd is outside the project"],
    ],
    [
      "an option that changes the folder",
      running("npm test --prefix /tmp"),
      npmTest,
      ["/tmp is outside the project", "“npm test --prefix /tmp”: it uses /tmp"],
    ],
    [
      "the same for every command",
      running("npm test --prefix /tmp"),
      { toolKind: "execute" },
      ["/tmp is outside the project"],
    ],
    [
      "an unknown option",
      running("npm test --frob"),
      npmTest,
      ["“npm test --frob”: the option --frob is not known"],
    ],
    ["another command", running("npm test; rm x"), npmTest, ["no rule covers “rm x”"]],
    [
      "more effects than the rule",
      running("git status"),
      { commandPrefix: "git" },
      ["no rule covers “git status”"],
    ],
    ["a redirection", running("npm test > x"), npmTest, ["it writes its output into a file"]],
    [
      "variables",
      { kind: "execute", rawInput: { command: "npm test", env: { A: "1" } } },
      npmTest,
      ["it sets environment variables", "the meaning of “A” is unknown"],
    ],
    [
      "a folder outside",
      running("npm test", "/elsewhere"),
      npmTest,
      ["/elsewhere is outside the project"],
    ],
    [
      "reading outside",
      running("cat /etc/hosts"),
      { onlyReads: true },
      ["/etc/hosts is outside the project"],
    ],
    [
      "a file outside",
      editing("/repo/a", "/x"),
      { toolKind: "edit" },
      ["/x is outside the project"],
    ],
    ["an unnamed file", editing(), { toolKind: "edit" }, ["it does not name its files"]],
  ])("reports why: %s", async (_what, call, what, because) => {
    expect(await reasons(call, what)).toEqual(because);
  });

  it.each<readonly [string, TestCall, RuleSubject]>([
    ["another command", running("rm x"), npmTest],
    ["a command that does more than reading", running("npm test"), { onlyReads: true }],
    ["another kind", editing("/x"), { toolKind: "read" }],
    ["another agent", running("npm test --frob"), { ...npmTest, agent: "other" }],
  ])("reports nothing for another subject: %s", async (_what, call, what) => {
    expect(await reasons(call, what)).toEqual([]);
  });

  it("reports nothing that another rule covers", async () => {
    const call = running("npm test; git push > x");
    expect(await reasons(call, npmTest, { commandPrefix: "git push" })).toEqual([
      "it writes its output into a file",
    ]);
  });

  it("reports nothing if it does not allow", async () => {
    const facts = await factsOf(running("npm test --frob"));
    const rule = (decision: NewRule["decision"]) => keptRule({ decision, what: npmTest });
    expect(reasonsNotCovered([rule("ask"), rule("deny")], facts)).toEqual([]);
  });
});
