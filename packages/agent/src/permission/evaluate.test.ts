import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { evaluate, isOff, matchesWildcard } from "./evaluate.ts";
import type { Rule } from "./rule.ts";

const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({
  permission,
  pattern,
  action,
});

describe("evaluate", () => {
  test("asks where no rule matches", () => {
    expect(evaluate([], "bash", "ls")).toBe("ask");
  });

  test("lets the last match decide", () => {
    const rules = [
      rule("*", "*", "allow"),
      rule("bash", "rm *", "deny"),
      rule("bash", "rm -i *", "ask"),
    ];
    expect(evaluate(rules, "bash", "ls")).toBe("allow");
    expect(evaluate(rules, "bash", "rm -rf /")).toBe("deny");
    expect(evaluate(rules, "bash", "rm -i a")).toBe("ask");
    expect(evaluate(rules, "edit", "rm -rf /")).toBe("allow");
  });

  test("matches a command without arguments by a rule with a trailing star", () => {
    expect(evaluate([rule("bash", "git log *", "allow")], "bash", "git log")).toBe("allow");
    expect(evaluate([rule("bash", "git log *", "allow")], "bash", "git logs")).toBe("ask");
  });

  test("knows when a tool is off altogether", () => {
    expect(isOff([rule("*", "*", "deny")], "bash")).toBe(true);
    expect(isOff([rule("*", "*", "deny"), rule("bash", "ls *", "allow")], "bash")).toBe(false);
    expect(isOff([rule("bash", "rm *", "deny")], "bash")).toBe(false);
    expect(isOff([rule("bash", "*", "deny"), rule("bash", "*", "ask")], "bash")).toBe(false);
  });
});

describe("matchesWildcard", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "/", ".") });

  test.prop([piece, fc.string({ unit: fc.constantFrom("a", "b", "/", ".") })])(
    "agrees with a regular expression",
    (pattern, text) => {
      const source = pattern
        .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
        .replaceAll("*", "[^]*")
        .replaceAll("?", "[^]");
      expect(matchesWildcard(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
    },
  );

  test("takes no longer than pattern times text", () => {
    expect(matchesWildcard("*a".repeat(500) + "b", "a".repeat(20_000))).toBe(false);
  });
});
