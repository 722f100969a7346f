import { expect, it } from "vitest";
import { anyRule } from "../../../test/permissions/corpus/any-rule.ts";
import { alsoAllows, describeRule } from "./describe-rule.ts";

it.each([
  [{}, "Allow anything, everywhere. It can run any command, so it can do anything."],
  [{ decision: "deny" }, "Deny anything, everywhere."],
  [{ what: { toolKind: "edit" } }, "Allow editing, everywhere."],
  [
    { what: { toolKind: "execute" } },
    "Allow running commands, everywhere. It can run any command, so it can do anything.",
  ],
  [
    { what: { onlyReads: true } },
    "Allow commands that only read files of the project, everywhere.",
  ],
  [
    { what: { commandPrefix: "npm test" }, where: { in: "project", folder: "/repo" } },
    "Allow commands that start with “npm test”, in /repo. Other known arguments that stay in the project are allowed too.",
  ],
  [
    { decision: "deny", what: { toolKind: "edit", pathGlob: "**/.env" } },
    "Deny editing files that match “**/.env”, everywhere.",
  ],
  [
    {
      decision: "ask",
      what: { toolKind: "fetch", toolName: "WebFetch", agent: "claude" },
      where: { in: "session", sessionId: "s" },
    },
    "Ask before fetching from the network with the tool “WebFetch” by the agent “claude”, in this session.",
  ],
  [
    { what: { commandPrefix: "/usr/bin/sudo apt" } },
    "Allow commands that start with “/usr/bin/sudo apt”, everywhere. It can run any command, so it can do anything.",
  ],
  [
    { what: { toolKind: "fetch", host: "example.com:8080" } },
    "Allow fetching from “example.com:8080”, everywhere.",
  ],
  [
    { decision: "deny", what: { host: "example.com" } },
    "Deny anything that fetches from “example.com”, everywhere.",
  ],
  [
    { what: { commandPrefix: "/bin/rm *" } },
    "Allow commands that start with “/bin/rm *”, everywhere. It can delete any file of the project given after these words.",
  ],
  [
    { what: { commandPrefix: "git push" } },
    "Allow commands that start with “git push”, everywhere. It can send data to any address given after these words.",
  ],
  [
    { what: { toolName: "bash" } },
    "Allow anything with the tool “bash”, everywhere. It covers everything that the tool does, and every command that it names.",
  ],
  [
    { what: { commandPrefix: "frobnicate" } },
    "Allow commands that start with “frobnicate”, everywhere. It can run any command, so it can do anything.",
  ],
  [
    { what: { commandPrefix: "bash" } },
    "Allow commands that start with “bash”, everywhere. It can run any command, so it can do anything.",
  ],
  [
    { what: { commandPrefix: "cargo" } },
    "Allow commands that start with “cargo”, everywhere. It covers everything that “cargo” does in the project, except running other programs.",
  ],
  [{ what: { pathGlob: "src/**" } }, "Allow anything on files that match “src/**”, everywhere."],
  [
    { decision: "ask", what: { toolKind: "move", toolName: "mv", pathGlob: "src/**" } },
    "Ask before moving files that match “src/**” with the tool “mv”, everywhere.",
  ],
  [
    { decision: "deny", what: { commandPrefix: "rm" } },
    "Deny commands that start with “rm”, everywhere.",
  ],
] as const)("describes %j", async (rule, words) => {
  expect(await describeRule(anyRule(rule))).toBe(words);
});

it.each([
  ["git", false],
  ["make", false],
  ["rm", false],
  ["npm run", true],
  ["curl", true],
])("a rule for “%s” covers nothing after these words", async (commandPrefix, isRisky) => {
  const rule = anyRule({ what: { commandPrefix } });
  expect(await describeRule(rule)).toMatch(
    /It covers only “[\w ]+” with options\. Any other word after it, such as a subcommand, needs its own rule\.$/,
  );
  expect(await alsoAllows(rule)).toMatchObject({ isRisky, isAnything: false });
});
