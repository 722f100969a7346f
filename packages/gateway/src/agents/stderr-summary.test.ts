import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { stderrSummary } from "./stderr-summary.ts";

const stderrOf = (...args: string[]) =>
  spawnSync(process.execPath, args, { encoding: "utf8" }).stderr;

test("names a program that Node does not find", () => {
  expect(stderrSummary(stderrOf("/nowhere/agent.js"))).toBe(
    "Error: Cannot find module '/nowhere/agent.js'",
  );
});

test("shows the message of an error with fields", () => {
  const script = 'require("node:fs").readFileSync("/nowhere/key")';
  expect(stderrSummary(stderrOf("--eval", script))).toBe(
    "Error: ENOENT: no such file or directory, open '/nowhere/key'",
  );
});

test.each([
  ["", ""],
  ["\n  \n", ""],
  ["Starting\nsegmentation fault\n", "segmentation fault"],
  [
    "error: unexpected argument '--acp'\n\nUsage: agent [OPTIONS]\n",
    "error: unexpected argument '--acp'",
  ],
  ["sh: 1: my-agent: not found\nGood bye\n", "sh: 1: my-agent: not found"],
  ["Warning: old\nError: first\nError: second\nNode.js v24.1.0\n", "Error: second"],
  ["Sorry\n    at main (/a.js:1:1)\n\nNode.js v24.1.0\n", "Sorry"],
  ["    at main (/a.js:1:1)\nNode.js v24.1.0\n", ""],
  [`Error: ${"x".repeat(1_000)}`, `Error: ${"x".repeat(293)}`],
])("%j: %j", (stderr, words) => expect(stderrSummary(stderr)).toBe(words));
