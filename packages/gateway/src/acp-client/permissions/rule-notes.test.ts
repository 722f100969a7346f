import { describe, expect, it } from "vitest";
import { keptRule } from "../../../test/permissions/corpus/any-rule.ts";
import { ruleNotes } from "./rule-notes.ts";
import type { NewRule } from "./rule.ts";

const project = { in: "project", folder: "/repo" } as const;
const notes = (rule: Partial<NewRule>, ...others: readonly Partial<NewRule>[]) =>
  ruleNotes(keptRule(rule), [keptRule(rule), ...others.map(keptRule)]);

const allowTest = { what: { commandPrefix: "npm test" }, where: project } as const;

describe("a rule that a stricter one overrides", () => {
  it.each<readonly [string, Partial<NewRule>]>([
    ["everything", { decision: "deny" }],
    ["fewer words", { decision: "deny", what: { commandPrefix: "npm" } }],
    ["the same", { ...allowTest, decision: "ask" }],
    ["the folder above", { decision: "ask", where: { in: "project", folder: "/" } }],
  ])("is never used: %s", async (_what, stricter) => {
    expect((await notes(allowTest, stricter))[0]).toMatch(
      /^It is never used, because this rule decides before it: (?:Ask|Deny) /,
    );
  });

  it.each<readonly [string, Partial<NewRule>]>([
    ["more words", { decision: "deny", what: { commandPrefix: "npm test --x" } }],
    ["one session", { decision: "deny", where: { in: "session", sessionId: "a" } }],
    ["one agent", { decision: "ask", what: { agent: "claude" } }],
    ["another folder below", { decision: "ask", where: { in: "project", folder: "/repo/a" } }],
  ])("is used if the other does not apply: %s", async (_what, stricter) => {
    expect((await notes(allowTest, stricter))[0]).toMatch(
      /^Where both apply, this rule decides before it: /,
    );
  });

  it.each<readonly [string, Partial<NewRule>]>([
    ["a rule that allows", { decision: "allow" }],
    ["other words", { decision: "deny", what: { commandPrefix: "rm" } }],
    ["another place", { decision: "deny", where: { in: "project", folder: "/other" } }],
    ["edits", { decision: "deny", what: { toolKind: "edit" } }],
  ])("is unrelated to %s", async (_what, other) => {
    expect((await notes(allowTest, other)).join(" ")).not.toMatch(/decides before/);
  });

  it("reports how many there are", async () => {
    const deny = (commandPrefix: string) =>
      ({ decision: "deny", what: { commandPrefix } }) as const;
    const all = { what: { toolKind: "execute" } } as const;
    expect((await notes(all, deny("rm"), deny("git push"), deny("curl")))[0]).toBe(
      "Where both apply, this rule (and 2 more that ask or deny) decides before it: " +
        "Deny commands that start with “rm”, everywhere.",
    );
  });
});

describe("a rule for commands that only read", () => {
  const reads = { what: { onlyReads: true } } as const;
  const isNear = async (commandPrefix: string) =>
    (await notes(reads, { decision: "deny", what: { commandPrefix } })).length > 0;

  it.each(["rm", "git push", "npm test", "mytool", "sudo"])(
    "is unrelated to “%s”, which does more",
    async (prefix) => expect(await isNear(prefix)).toBe(false),
  );

  it.each(["cat", "git", "git log", "ls -a"])(
    "is overridden by a rule about “%s”",
    async (prefix) => expect(await isNear(prefix)).toBe(true),
  );
});

const prefix = (commandPrefix: string) => ({ what: { commandPrefix } });

it.each<readonly [Partial<NewRule>, RegExp]>([
  [
    allowTest,
    /^Not covered: unknown options, options .*--prefix.*output into files.*\.env.*outside/,
  ],
  [prefix("git push"), /^Not covered: unknown options/],
  [{ what: { toolKind: "edit" } }, /^Not covered: protected files .*outside/],
  [{ what: { onlyReads: true } }, /^$/],
  [{ what: { toolKind: "think" } }, /^$/],
  [{ decision: "deny", what: { commandPrefix: "rm" } }, /^$/],
])("%j lists what it does not cover", async (rule, words) => {
  expect((await notes(rule)).join("\n")).toMatch(words);
});

it.each<Partial<NewRule>>([
  {},
  { what: { toolKind: "execute" } },
  prefix("mytool"),
  prefix("python3"),
  prefix("sudo"),
  { what: { toolName: "bash" } },
  { what: { toolName: "bash", toolKind: "other" } },
])("%j, which can do anything, has no list of exceptions", async (rule) => {
  expect(await notes(rule)).toEqual([]);
});

const edits = (pathGlob: string) => ({ what: { toolKind: "edit", pathGlob } }) as const;

describe("a rule that can allow nothing", () => {
  it.each<readonly [Partial<NewRule>, RegExp]>([
    [prefix("cat .env"), /\.env may hold /],
    [{ ...prefix("cat .env"), where: project }, /\.env may hold /],
    [{ ...prefix("cat /etc/hosts"), where: project }, /\/etc\/hosts is outside the project/],
    [{ what: { pathGlob: "**/.env" } }, /“\*\*\/\.env” may hold /],
    [edits(".git/**"), /“\.git\/\*\*” is /],
    [{ ...edits("/etc/*"), where: project }, /“\/etc\/\*” is outside the project/],
  ])("%j reports that it is never used", async (rule, words) => {
    const [first, ...others] = await notes(rule);
    expect(first).toMatch(/^It is never used, because .*, which rules do not allow\.$/);
    expect(first).toMatch(words);
    expect(others).toEqual([]);
  });

  it.each<Partial<NewRule>>([
    prefix("cat src/a.ts"),
    prefix("cat"),
    edits("**/.env*"),
    edits("**"),
    { ...edits("/repo/src/**"), where: project },
    { decision: "deny", ...prefix("cat .env") },
    { decision: "ask", what: { pathGlob: "**/.env" } },
  ])("%j does not", async (rule) => {
    expect((await notes(rule)).join(" ")).not.toMatch(/never used/);
  });
});
