import { expect, it } from "vitest";
import { join } from "node:path";
import { scratch } from "../../test/config/config-fixture.ts";
import { describeTool, runTool } from "./tool-process.ts";

const limits = { callMs: 5_000, describeMs: 5_000, resultBytes: 10_000 };

const shape = `export const description = "x";`;

async function run(script: string, input: object = {}) {
  await using folder = await scratch({ "project/tool.mjs": script });
  const options = { cwd: folder.project, environment: process.env, limits };
  return await runTool(join(folder.project, "tool.mjs"), input, options);
}

it("ends a call that takes too long", async () => {
  await expect(run(`${shape} export const run = () => { for (;;); };`)).resolves.toMatchObject({
    ok: false,
    reason: "tool-timeout",
    message: "it did not answer within 5 s",
  });
});

it("ends a description that takes too long", async () => {
  await using folder = await scratch({
    "project/tool.mjs": "await new Promise(() => setInterval(() => {}, 1_000));",
  });
  const options = { cwd: folder.project, environment: process.env, limits };
  await expect(describeTool(join(folder.project, "tool.mjs"), options)).rejects.toThrow(
    "within 5 s",
  );
});

it("refuses an answer that is too long, and reports what a tool threw and printed", async () => {
  await expect(run(`${shape} export const run = () => "x".repeat(20_000);`)).resolves.toMatchObject(
    {
      ok: false,
      reason: "tool-failed",
      message: expect.stringContaining("more than 10000 bytes"),
    },
  );
  const thrown = await run(
    `${shape} export const run = () => { console.log("before"); throw new Error("no"); };`,
  );
  expect(thrown).toEqual({ ok: false, reason: "tool-failed", message: "no\nIt printed:\nbefore" });
});

it("passes any input unchanged", async () => {
  const input = { text: 'line\n"quoted" \u2028 😀', deep: [{ a: null }] };
  const outcome = await run(`${shape} export const run = (input) => input;`, input);
  expect(outcome).toEqual({ ok: true, output: JSON.stringify(input, null, 2) });
});
