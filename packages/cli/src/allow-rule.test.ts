import { expect, it } from "vitest";
import { readAllowRule } from "./allow-rule.ts";

it.each([
  ["read", { toolKind: "read" }],
  ["execute", { toolKind: "execute" }],
  ["execute:npm test", { commandPrefix: "npm test" }],
  ["execute: npm run a:b ", { commandPrefix: "npm run a:b" }],
  ["execute:reads", { onlyReads: true }],
  ["edit:src/**", { toolKind: "edit", pathGlob: "src/**" }],
  ["fetch:localhost:8080", { toolKind: "fetch", host: "localhost:8080" }],
  ["tool:web_search", { toolName: "web_search" }],
])("%j is about %j", (text, subject) => {
  expect(readAllowRule(text)).toEqual(subject);
});

it.each(["", "all", "npm test", "edit:", "tool:", "tool", ":x", "READ", "__proto__"])(
  "%j is refused with the valid forms",
  (text) => {
    expect(() => readAllowRule(text)).toThrow(
      expect.objectContaining({
        code: "invalid-params",
        help: expect.stringContaining("edit:src/**"),
      }),
    );
  },
);
