import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readGatewayFile, removeGatewayFile, writeGatewayFile } from "./gateway-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-file-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const running = { url: "http://127.0.0.1:3001", token: "t", pid: process.pid };

it("is private, and leaves no other file behind", async () => {
  await writeGatewayFile(folder, running);
  expect((await stat(join(folder, "gateway.json"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["gateway.json"]);
  expect(await readGatewayFile(folder)).toEqual(running);
});

it("is ignored and replaced if its process has ended", async () => {
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  await writeGatewayFile(folder, { ...running, pid: dead.pid! });
  expect(await readGatewayFile(folder)).toBeNull();
  await writeGatewayFile(folder, running);
  expect(await readGatewayFile(folder)).toEqual(running);
});

it("replaces the temporary file of a gateway that was killed while it wrote", async () => {
  await writeFile(join(folder, "gateway.json.1234567890"), "{");
  await writeGatewayFile(folder, running);
  expect(await readdir(folder)).toEqual(["gateway.json"]);
  expect(await readGatewayFile(folder)).toEqual(running);
});

it("is removed by its own gateway only", async () => {
  await writeGatewayFile(folder, running);
  await removeGatewayFile(folder, process.pid + 1);
  expect(await readGatewayFile(folder)).toEqual(running);
  await removeGatewayFile(folder, process.pid);
  await removeGatewayFile(folder, process.pid);
  expect(await readdir(folder)).toEqual([]);
});

it.each([
  "",
  "{",
  "null",
  "[]",
  '{"url":1,"token":"t","pid":1}',
  '{"url":"http://x","token":"t","pid":-1}',
  '{"url":"no url","token":"t","pid":1}',
])("is ignored if it contains %j", async (content) => {
  await writeFile(join(folder, "gateway.json"), content);
  expect(await readGatewayFile(folder)).toBeNull();
});
