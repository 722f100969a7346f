import { expect, it } from "vitest";
import { protectedInput } from "./protected-input.ts";

it.each([
  [{ path: ".env" }],
  [{ files: [{ name: "src/a.ts" }, { name: "deploy/.env.local" }] }],
  [{ uri: "file:///home/me/.ssh/id_ed25519" }],
  [{ uri: "file:///project/%2Eenv?x=1#L2" }],
  ["/home/me/.aws/credentials"],
  [{ files: { "deploy/.env": { lines: 3 } } }],
])("names a credential: %j", async (input) => {
  const { mustAsk } = await protectedInput(input, "read", "/project");
  expect(mustAsk).toEqual([expect.stringContaining("may hold")]);
});

it("names a protected place for a tool that may change things, and not for one that reads", async () => {
  const input = { path: ".github/workflows/ci.yml", content: "on: push\n" };
  expect(await protectedInput(input, "edit", "/project")).toEqual({
    mustAsk: [".github/workflows/ci.yml is protected (a CI workflow)"],
  });
  expect(await protectedInput(input, "read", "/project")).toEqual({});
});

it.each([
  [{ path: "src/env.ts", text: "Copy .env.example\nto .env" }],
  [{ count: 3, ok: true, nothing: null }],
  ["no path at all"],
  [undefined],
])("names nothing: %j", async (input) => {
  expect(await protectedInput(input, "edit", "/project")).toEqual({});
});
