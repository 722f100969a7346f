import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const start = path.join(import.meta.dirname, "../../../cli/src/start.ts");
const loaded = pathToFileURL(path.join(import.meta.dirname, "record-loaded-modules.ts")).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "landline-start-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The modules that are loaded after the agent answered these requests. */
async function loadedBy(...requests: (readonly [method: string, params: object])[]) {
  const notes = path.join(folder, "modules");
  const args = ["--conditions=@landline/source", "--import", loaded, start, "agent"];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], HOME: folder, LOADED_MODULES: notes },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  for (const [id, [method, params]] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (let answer: unknown = null; answer !== id;) {
      const { value } = (await lines.next()) as { value: string };
      answer = (JSON.parse(value) as { id?: number }).id;
    }
  }
  const modules = (await readFile(notes, "utf8")).trim().split("\n");
  const ended = once(child, "exit");
  child.stdin.end();
  await ended;
  return modules;
}

const initialize = ["initialize", { protocolVersion: 1, clientCapabilities: {} }] as const;

test("`initialize` loads one build of the SDK, and nothing that only sessions need", async () => {
  const modules = await loadedBy(initialize);
  const packages = modules.flatMap(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  );
  expect([...new Set(packages)].toSorted()).toEqual(["@agentclientprotocol/sdk", "zod"]);
  // Each build creates all its schemas, which takes most of the startup time.
  expect(modules.filter((url) => url.endsWith("/zod.gen.js"))).toHaveLength(1);
  const late = /packages\/agent\/src\/(?:config|mcp|permission|workspace)\//;
  expect(modules.filter((url) => late.test(url))).toEqual([]);
  expect(modules).toContain("node:path");
  expect(modules).not.toContain("node:crypto");
});

test("a session is opened without the shell grammar", async () => {
  const modules = await loadedBy(initialize, ["session/new", { cwd: folder, mcpServers: [] }]);
  expect(modules.some((url) => url.includes("packages/agent/src/tools/bash.ts"))).toBe(true);
  expect(modules.filter((url) => url.includes("tree-sitter"))).toEqual([]);
});
