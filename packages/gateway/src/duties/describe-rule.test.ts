import { expect, it } from "vitest";
import { anyRule } from "./any-rule.ts";
import { describeRule } from "./describe-rule.ts";

it.each([
  [{}, "Allow anything, everywhere."],
  [
    { what: { commandPrefix: "npm test" }, where: { in: "project", folder: "/repo" } },
    "Allow commands that start with “npm test”, in /repo.",
  ],
  [
    { decision: "deny", what: { toolKind: "edit", pathGlob: "**/.env" } },
    "Refuse editing on files that match “**/.env”, everywhere.",
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
    "Allow commands that start with “/usr/bin/sudo apt”, everywhere. That can run any command.",
  ],
  [
    { what: { toolKind: "fetch", host: "example.com:8080" } },
    "Allow fetching from “example.com:8080”, everywhere.",
  ],
  [
    { decision: "deny", what: { host: "example.com" } },
    "Refuse anything that fetches from “example.com”, everywhere.",
  ],
  [
    { what: { commandPrefix: "/bin/rm *" } },
    "Allow commands that start with “/bin/rm *”, everywhere. That can delete whatever is named after these words.",
  ],
  [
    { what: { commandPrefix: "git push" } },
    "Allow commands that start with “git push”, everywhere. That can send anything to wherever is written after these words.",
  ],
  [
    { decision: "deny", what: { commandPrefix: "rm" } },
    "Refuse commands that start with “rm”, everywhere.",
  ],
] as const)("says %j in words", (rule, words) => {
  expect(describeRule(anyRule(rule))).toBe(words);
});
