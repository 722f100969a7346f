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
] as const)("says %j in words", (rule, words) => {
  expect(describeRule(anyRule(rule))).toBe(words);
});
