import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mayHoldSecret } from "./credential-contents.ts";
import { FileSnapshot } from "./file-snapshot.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-contents-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const look = (path: string) => mayHoldSecret(path, new FileSnapshot([folder]));

describe("mayHoldSecret", () => {
  it.each([
    ["engine-strict=true\n", false],
    ["registry=https://registry.example.com/\n", false],
    ["//registry.example.com/:_authToken=x\n", true],
    ["_password=x\n", true],
    ["x".repeat(70_000), true],
  ])("reads .npmrc", async (text, expected) => {
    await writeFile(join(folder, ".npmrc"), text);
    expect(await look(join(folder, ".npmrc"))).toBe(expected);
  });

  it("reads no other file, and does not block", async () => {
    expect(await look(join(folder, ".env"))).toBe(true);
    expect(await look(join(folder, "missing/.npmrc"))).toBe(true);
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(folder, ".yarnrc.yml")]);
    expect(await look(join(folder, ".yarnrc.yml"))).toBe(true);
  });
});
