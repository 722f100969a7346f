import { expect, it } from "vitest";
import { fileFindings, type CommandFile } from "./file-rules.ts";
import type { Rule } from "./rule.ts";

const rule = (pattern: string, action: Rule["action"], permission = "read"): Rule => ({
  permission,
  pattern,
  action,
});
const file = (...patterns: string[]): CommandFile => ({
  permission: "read",
  patterns,
  isTree: false,
});
const tree = (name: string): CommandFile => ({ ...file(name), isTree: true });
const actionOf = (rules: readonly Rule[], one: CommandFile) =>
  fileFindings({ sources: [rules], defaults: [] }, [one])[0]?.action ?? null;

it.each<readonly [readonly Rule[], CommandFile, string | null]>([
  [[rule("secrets/*", "deny")], file("secrets/a"), "deny"],
  [[rule("secrets/*", "deny")], file("link", "secrets/a"), "deny"],
  [[rule("secrets/*", "deny")], file("src/a"), null],
  [[rule("*.env", "ask")], file("deploy/prod.env"), "ask"],
  [[rule("secrets/*", "deny"), rule("secrets/b", "allow")], file("secrets/b"), null],
  [[rule("secrets/*", "deny"), rule("*", "allow")], file("secrets/a"), null],
  [[rule("*", "ask")], file("src/a"), "ask"],
  // It disables the tool.
  [[rule("*", "deny")], file("src/a"), null],
  [[rule("secrets/*", "deny", "edit")], file("secrets/a"), null],
  [[rule("secrets/*", "deny")], tree("."), "ask"],
  [[rule("secrets", "deny")], tree("."), "ask"],
  [[rule("secrets/*", "deny")], tree("secrets"), "ask"],
  [[rule("secrets/*", "deny")], tree("secrets/deep"), "deny"],
  [[rule("src/secrets/*", "ask")], tree("src"), "ask"],
  [[rule("secrets/*", "deny")], tree("src"), null],
  [[rule("mcp:may-change", "deny", "*")], tree("."), null],
  [[rule("/etc/*", "deny")], tree("."), null],
  [[rule("/etc/*", "deny")], tree("/"), "ask"],
  [[rule("secrets/*", "deny"), rule("*", "default")], tree("."), null],
])("%j says about %j: %s", (rules, one, action) => {
  expect(actionOf(rules, one)).toBe(action);
});

it("lets the strictest source decide", () => {
  const sources = [[rule("a", "allow")], [rule("a", "deny")], [rule("a", "ask")]];
  expect(fileFindings({ sources, defaults: [] }, [file("a"), file("b")])).toEqual([
    { action: "deny", reason: 'a rule is about reading "a"' },
  ]);
});
