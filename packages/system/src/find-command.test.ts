import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findCommand, findOnPath, pathWith, searchPlaces } from "./find-command.ts";

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "landline-find-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function program(name: string): string {
  const file = join(top, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

it("takes neither a folder nor a plain file for a program", () => {
  mkdirSync(join(top, "first/tool"), { recursive: true });
  mkdirSync(join(top, "second"));
  writeFileSync(join(top, "second/tool"), "", { mode: 0o644 });
  const tool = program("third/tool");
  const path = ["first", "second", "third"].map((name) => join(top, name)).join(":");
  expect(findOnPath("tool", { PATH: path })).toBe(tool);
});

it("leaves out relative folders of the PATH", () => {
  program("tool");
  expect(findOnPath("tool", { PATH: `.::${top}/missing` })).toBe(null);
});

it("finds what a version manager has installed beyond the PATH, the newest version first", () => {
  program("home/.nvm/versions/node/v9.1.0/bin/tool");
  const newest = program("home/.nvm/versions/node/v20.0.0/bin/tool");
  const environment = { HOME: join(top, "home"), PATH: "/nowhere" };
  const found = findCommand("tool", searchPlaces(environment));
  expect(found).toEqual({ path: newest, onPath: false });
  expect(found && pathWith(found, environment)).toEqual({
    PATH: `${join(newest, "..")}:/nowhere`,
  });
});
