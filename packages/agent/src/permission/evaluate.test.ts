import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { evaluate, isOff, matchesWildcard, matchingAction } from "./evaluate.ts";
import type { Policy, Rule } from "./rule.ts";

const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({
  permission,
  pattern,
  action,
});

const policy = (...sources: Rule[][]): Policy => ({ sources, defaults: [] });

describe("evaluate", () => {
  test("asks where no rule matches", () => {
    expect(evaluate(policy(), "bash", "ls")).toBe("ask");
    expect(evaluate(policy([], []), "bash", "ls")).toBe("ask");
  });

  test("lets the last match of a source decide", () => {
    const rules = policy([
      rule("*", "*", "allow"),
      rule("bash", "rm *", "deny"),
      rule("bash", "rm -i *", "ask"),
    ]);
    expect(evaluate(rules, "bash", "ls")).toBe("allow");
    expect(evaluate(rules, "bash", "rm -rf /")).toBe("deny");
    expect(evaluate(rules, "bash", "rm -i a")).toBe("ask");
    expect(evaluate(rules, "edit", "rm -rf /")).toBe("allow");
  });

  test("lets the strictest source decide, whatever their order", () => {
    const [allow, ask, deny] = (["allow", "ask", "deny"] as const).map((action) => [
      rule("edit", "*", action),
    ]) as [Rule[], Rule[], Rule[]];
    expect(evaluate(policy(allow, ask), "edit", "a")).toBe("ask");
    expect(evaluate(policy(ask, allow), "edit", "a")).toBe("ask");
    expect(evaluate(policy(deny, ask, allow), "edit", "a")).toBe("deny");
    expect(evaluate(policy(allow, ask, deny), "edit", "a")).toBe("deny");
    expect(evaluate(policy(allow, [rule("bash", "*", "deny")]), "edit", "a")).toBe("allow");
  });

  test("uses defaults only where no source says anything", () => {
    const defaults = [rule("read", "*", "allow"), rule("edit", "*", "ask")];
    expect(evaluate({ sources: [[]], defaults }, "read", "a")).toBe("allow");
    expect(evaluate({ sources: [[rule("read", "*", "ask")]], defaults }, "read", "a")).toBe("ask");
    expect(evaluate({ sources: [[rule("edit", "*", "allow")]], defaults }, "edit", "a")).toBe(
      "allow",
    );
  });

  test("`default` resets the rules of its own source only", () => {
    const own = [rule("*", "*", "deny"), rule("read", "*", "default")];
    const defaults = [rule("read", "*", "allow")];
    expect(evaluate({ sources: [own], defaults }, "read", "a")).toBe("allow");
    expect(evaluate({ sources: [own], defaults }, "edit", "a")).toBe("deny");
    const other = [rule("read", "*", "deny")];
    expect(evaluate({ sources: [other, own], defaults }, "read", "a")).toBe("deny");
  });

  test("matches a command without arguments by a rule with a trailing star", () => {
    const rules = policy([rule("bash", "git log *", "allow")]);
    expect(evaluate(rules, "bash", "git log")).toBe("allow");
    expect(evaluate(rules, "bash", "git logs")).toBe("ask");
  });

  test("detects that a tool is denied completely", () => {
    const isOffIn = (...rules: Rule[]) => isOff(policy(rules), "bash");
    expect(isOffIn(rule("*", "*", "deny"))).toBe(true);
    expect(isOffIn(rule("*", "*", "deny"), rule("bash", "ls *", "allow"))).toBe(false);
    expect(isOffIn(rule("bash", "rm *", "deny"))).toBe(false);
    expect(isOffIn(rule("bash", "*", "deny"), rule("bash", "*", "ask"))).toBe(false);
    expect(isOffIn(rule("*", "*", "deny"), rule("bash", "*", "default"))).toBe(false);
    expect(isOff(policy([rule("bash", "*", "allow")], [rule("bash", "*", "deny")]), "bash")).toBe(
      true,
    );
  });
});

describe("a rule about an analysed command", () => {
  const covered = { pattern: "git log -3", isCoveredBy: (by: string) => by === "git log *" };

  test("allows the commands that it covers, and everything as `*`", () => {
    const allows = (pattern: string) =>
      matchingAction([rule("bash", pattern, "allow")], "bash", covered);
    expect(allows("git log *")).toBe("allow");
    expect(allows("*")).toBe("allow");
    // The text matches, but the effects are not covered.
    expect(allows("git *")).toBeNull();
    expect(allows("g*")).toBeNull();
  });

  test("asks and denies by text", () => {
    expect(matchingAction([rule("bash", "git *", "ask")], "bash", covered)).toBe("ask");
    expect(matchingAction([rule("bash", "* -3", "deny")], "bash", covered)).toBe("deny");
  });

  test("leaves the earlier rule in force where it does not cover the command", () => {
    const rules = [rule("bash", "*", "deny"), rule("bash", "git *", "allow")];
    expect(matchingAction(rules, "bash", covered)).toBe("deny");
  });

  test("may exclude reading commands", () => {
    const rules: Rule[] = [{ ...rule("bash", "*", "ask"), exceptReading: true }];
    expect(matchingAction(rules, "bash", covered)).toBe("ask");
    expect(matchingAction(rules, "bash", { ...covered, isReading: true })).toBeNull();
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

  test("takes time proportional to pattern times text", () => {
    expect(matchesWildcard("*a".repeat(500) + "b", "a".repeat(20_000))).toBe(false);
  });
});
