import { describe, expect, test } from "vitest";
import { judge, type Judgement } from "./judge.ts";
import type { PermissionRequest, Policy, Rule } from "./rule.ts";

const policy: Policy = {
  sources: [
    [
      { permission: "*", pattern: "*", action: "ask" },
      { permission: "read", pattern: "*", action: "allow" },
      { permission: "bash", pattern: "rm *", action: "deny" },
    ],
  ],
  defaults: [],
};

const everything: Policy = {
  sources: [[{ permission: "*", pattern: "*", action: "allow" }]],
  defaults: [],
};

function judged(request: Partial<PermissionRequest>, judgement: Partial<Judgement> = {}) {
  return judge(
    { policy, approved: [], level: "ask", ...judgement },
    { permission: "bash", patterns: ["ls"], always: [], ...request },
  );
}

describe("judge", () => {
  test("follows the rules", () => {
    expect(judged({ permission: "read", patterns: ["a.txt"] })).toBe("allow");
    expect(judged({})).toBe("ask");
    expect(judged({ patterns: ["ls", "rm -rf x"] })).toBe("deny");
  });

  test("uses the user's earlier answers instead of asking", () => {
    const approved: Rule[] = [{ permission: "bash", pattern: "ls *", action: "allow" }];
    expect(judged({}, { approved })).toBe("allow");
    expect(judged({ patterns: ["ls", "make"] }, { approved })).toBe("ask");
    expect(judged({}, { approved: [{ permission: "bash", pattern: "*", action: "deny" }] })).toBe(
      "deny",
    );
  });

  test("neither an answer nor a level overrides a deny rule", () => {
    const approved: Rule[] = [{ permission: "*", pattern: "*", action: "allow" }];
    expect(judged({ patterns: ["rm x"] }, { approved, level: "allow-all" })).toBe("deny");
  });

  test("remembers a refusal, even if a rule allows the request", () => {
    const approved: Rule[] = [{ permission: "bash", pattern: "ls *", action: "deny" }];
    expect(judged({}, { policy: everything, approved, level: "allow-all" })).toBe("deny");
    const reading = { pattern: "ls", isReading: true, isCoveredBy: () => false };
    expect(judged({ patterns: [reading] }, { approved })).toBe("deny");
    const guess = { pattern: "ls", isGuess: true };
    expect(judged({ patterns: [guess] }, { approved })).toBe("deny");
  });

  test("allows sandboxed commands at the level sandboxed, unless a rule asks or denies", () => {
    const unruled: Policy = {
      sources: [[{ permission: "bash", pattern: "rm *", action: "deny" }]],
      defaults: [{ permission: "*", pattern: "*", action: "ask" }],
    };
    const at = (pattern: string, isConfined: boolean, given: Partial<Judgement> = {}) =>
      judged(
        { patterns: [{ pattern, isConfined }] },
        { policy: unruled, level: "sandboxed", ...given },
      );
    expect(at("make", true)).toBe("allow");
    expect(at("make", false)).toBe("ask");
    expect(at("rm x", true)).toBe("deny");
    expect(at("make", true, { policy })).toBe("ask");
    expect(at("make", true, { level: "accept-edits" })).toBe("ask");
    const guarded = {
      patterns: [{ pattern: "make", isConfined: true }],
      mustAsk: ["a credential"],
    };
    expect(judged(guarded, { policy: unruled, level: "sandboxed" })).toBe("ask");
  });

  test("accepts edits, and nothing else, at that level", () => {
    expect(judged({ permission: "edit", patterns: ["a.txt"] }, { level: "accept-edits" })).toBe(
      "allow",
    );
    expect(judged({}, { level: "accept-edits" })).toBe("ask");
    expect(judged({}, { level: "allow-all" })).toBe("allow");
  });

  describe("outside the project", () => {
    const none: Policy = { sources: [[]], defaults: [] };
    const permission = "external_directory";
    const at = (access: "read" | "change", pattern = "/etc/*") => ({
      permission,
      patterns: [{ pattern, access }],
    });
    const edit = { permission: "edit", patterns: [{ pattern: "/etc/x", outside: "/etc/*" }] };
    const approval = (access: "read" | "change"): Rule => {
      return { permission, pattern: "/etc/*", action: "allow", access };
    };
    const edits: Rule = { permission: "edit", pattern: "*", action: "allow" };

    test("distinguishes approvals for reading and for changing", () => {
      const reading = { policy: none, approved: [approval("read")] };
      expect(judged(at("read"), reading)).toBe("allow");
      expect(judged(at("read", "/etc/ssl/*"), reading)).toBe("allow");
      expect(judged(at("change"), reading)).toBe("ask");
      const changing = { policy: none, approved: [approval("change")] };
      expect(judged(at("change"), changing)).toBe("allow");
      expect(judged(at("read"), changing)).toBe("ask");
    });

    test("a rule of the config covers both", () => {
      const rule: Rule = { permission, pattern: "/etc/*", action: "allow" };
      const config = { policy: { sources: [[rule]], defaults: [] } };
      expect(judged(at("read"), config)).toBe("allow");
      expect(judged(at("change"), config)).toBe("allow");
      expect(judged(edit, config)).toBe("ask");
      expect(judged(edit, { ...config, level: "accept-edits" })).toBe("allow");
      expect(judged(edit, { ...config, approved: [edits] })).toBe("allow");
    });

    test("a decision about edits inside accepts no edit outside", () => {
      expect(judged(edit, { policy: none, level: "accept-edits" })).toBe("ask");
      expect(judged(edit, { policy: none, approved: [edits] })).toBe("ask");
      const both = [edits, approval("read")];
      expect(judged(edit, { policy: none, approved: both, level: "accept-edits" })).toBe("ask");
      expect(judged(edit, { policy: none, approved: [approval("change")] })).toBe("allow");
      expect(judged(edit, { policy: none, level: "allow-all" })).toBe("allow");
    });

    test("an approval for changing outside covers no file inside", () => {
      const patterns = [...edit.patterns, "src/a.ts"];
      const approved = [approval("change")];
      expect(judged({ ...edit, patterns }, { policy: none, approved })).toBe("ask");
    });
  });

  test("asks when a request names nothing", () => {
    expect(judged({ permission: "read", patterns: [] })).toBe("ask");
  });

  test("runs reading commands if no rule says otherwise", () => {
    const none: Policy = { sources: [[]], defaults: [] };
    const reading = { pattern: "ls", isReading: true, isCoveredBy: () => false };
    expect(judged({ patterns: [reading] }, { policy: none })).toBe("allow");
    expect(judged({ patterns: [reading, "make"] }, { policy: none })).toBe("ask");
    expect(judged({ patterns: [reading] })).toBe("ask");
  });

  test("a guessed command can be denied or asked about, but needs no permission", () => {
    const none: Policy = { sources: [[]], defaults: [] };
    const guess = (pattern: string) => ({ pattern, isGuess: true, isCoveredBy: () => false });
    expect(judged({ patterns: [guess("make")] }, { policy: none })).toBe("allow");
    expect(judged({ patterns: [guess("make")] })).toBe("ask");
    expect(judged({ patterns: [guess("rm x")] }, { level: "allow-all" })).toBe("deny");
  });
});

describe("what only a person may allow", () => {
  const approved: Rule[] = [{ permission: "*", pattern: "*", action: "allow" }];
  const wideOpen = { policy: everything, approved, level: "allow-all" } as const;

  test.each([
    ["read", ".env"],
    ["read", "deploy/.env.local"],
    ["read", "certs/server.pem"],
    ["edit", ".env"],
    ["edit", ".git/config"],
    ["edit", ".git/hooks/pre-commit"],
    ["edit", ".husky/pre-commit"],
    ["edit", ".vscode/tasks.json"],
    ["edit", ".landline/agents/x.md"],
    ["edit", "landline.jsonc"],
    ["edit", ".github/workflows/ci.yml"],
  ])("needs permission in every mode and at every level: %s %s", (permission, path) => {
    expect(judged({ permission, patterns: [path] }, wideOpen)).toBe("ask");
    expect(judged({ permission, patterns: ["a.txt"], paths: [`/x/${path}`] }, wideOpen)).toBe(
      "ask",
    );
    expect(judged({ permission, patterns: ["a.txt", path] }, wideOpen)).toBe("ask");
  });

  test.each([
    ["read", ".git/config"],
    ["read", ".env.example"],
    ["read", "src/env.ts"],
    ["edit", "src/env.ts"],
    ["edit", ".landline/plans/one.md"],
    ["edit", ".gitignore"],
  ])("does not include: %s %s", (permission, path) => {
    expect(judged({ permission, patterns: [path] }, wideOpen)).toBe("allow");
  });

  test("applies to requests with `mustAsk`", () => {
    const mustAsk = [".env may hold passwords or keys"];
    expect(judged({ mustAsk }, wideOpen)).toBe("ask");
    expect(judged({ mustAsk, patterns: ["rm x"] }, { ...wideOpen, policy })).toBe("deny");
  });
});
