import { describe, expect, test } from "vitest";
import { judge, type Judgement } from "./judge.ts";
import type { PermissionRequest, Rule } from "./rule.ts";

const rules: Rule[] = [
  { permission: "*", pattern: "*", action: "ask" },
  { permission: "read", pattern: "*", action: "allow" },
  { permission: "bash", pattern: "rm *", action: "deny" },
];

function judged(request: Partial<PermissionRequest>, judgement: Partial<Judgement> = {}) {
  return judge(
    { rules, approved: [], level: "ask", ...judgement },
    { permission: "bash", patterns: ["ls"], always: [], ...request },
  );
}

describe("judge", () => {
  test("follows the rules", () => {
    expect(judged({ permission: "read", patterns: ["a.txt"] })).toBe("allow");
    expect(judged({})).toBe("ask");
    expect(judged({ patterns: ["ls", "rm -rf x"] })).toBe("deny");
  });

  test("lets what the person said answer what would be asked", () => {
    const approved: Rule[] = [{ permission: "bash", pattern: "ls *", action: "allow" }];
    expect(judged({}, { approved })).toBe("allow");
    expect(judged({ patterns: ["ls", "make"] }, { approved })).toBe("ask");
    expect(judged({}, { approved: [{ permission: "bash", pattern: "*", action: "deny" }] })).toBe(
      "deny",
    );
  });

  test("overrides no ban by what was said, nor by the level", () => {
    const approved: Rule[] = [{ permission: "*", pattern: "*", action: "allow" }];
    expect(judged({ patterns: ["rm x"] }, { approved, level: "allow-all" })).toBe("deny");
  });

  test("accepts edits, and nothing else, at that level", () => {
    expect(judged({ permission: "edit", patterns: ["a.txt"] }, { level: "accept-edits" })).toBe(
      "allow",
    );
    expect(judged({}, { level: "accept-edits" })).toBe("ask");
    expect(judged({}, { level: "allow-all" })).toBe("allow");
  });

  test("asks when a request names nothing", () => {
    expect(judged({ permission: "read", patterns: [] })).toBe("ask");
  });
});
