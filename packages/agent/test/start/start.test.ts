import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const start = path.join(import.meta.dirname, "../../../cli/src/start.ts");
const loaded = pathToFileURL(path.join(import.meta.dirname, "loaded.ts")).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "landline-start-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the agent has loaded when it has answered this request, its first. */
async function loadedBy(method: string, params: object): Promise<string[]> {
  const notes = path.join(folder, "modules");
  const args = ["--conditions=@landline/source", "--import", loaded, start, "agent"];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], HOME: folder, LOADED_MODULES: notes },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answered = once(createInterface(child.stdout), "line");
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method, params })}\n`);
  await answered;
  const modules = (await readFile(notes, "utf8")).trim().split("\n");
  const ended = once(child, "exit");
  child.stdin.end();
  await ended;
  return modules;
}

test("`initialize` is answered with one form of the SDK loaded, and nothing that sessions need", async () => {
  const modules = await loadedBy("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const packages = modules.flatMap(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  );
  expect([...new Set(packages)].toSorted()).toEqual(["@agentclientprotocol/sdk", "zod"]);
  // Each form builds all its schemas, which is most of the time that the start takes.
  expect(modules.filter((url) => url.endsWith("/zod.gen.js"))).toHaveLength(1);
  const late = /packages\/agent\/src\/(?:config|mcp|permission|workspace)\//;
  expect(modules.filter((url) => late.test(url))).toEqual([]);
  expect(modules).toContain("node:path");
  expect(modules).not.toContain("node:crypto");
});
