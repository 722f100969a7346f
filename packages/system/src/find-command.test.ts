import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  findCommand,
  findOnPath,
  trustedPath,
  pathWith,
  searchPlaces,
  projectFoldersLast,
} from "./find-command.ts";

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

it("accepts neither a folder nor a plain file as a program", () => {
  mkdirSync(join(top, "first/tool"), { recursive: true });
  mkdirSync(join(top, "second"));
  writeFileSync(join(top, "second/tool"), "", { mode: 0o644 });
  const tool = program("third/tool");
  const path = ["first", "second", "third"].map((name) => join(top, name)).join(":");
  expect(findOnPath("tool", { PATH: path }, [])).toBe(tool);
});

it("ignores relative folders in PATH", () => {
  program("tool");
  expect(findOnPath("tool", { PATH: `.::${top}/missing` }, [])).toBe(null);
});

it("finds programs of version managers outside PATH, the newest version first", () => {
  program("home/.nvm/versions/node/v9.1.0/bin/tool");
  const newest = program("home/.nvm/versions/node/v20.0.0/bin/tool");
  const environment = { HOME: join(top, "home"), PATH: "/nowhere" };
  const found = findCommand("tool", searchPlaces(environment));
  expect(found).toEqual({ path: newest, onPath: false });
  expect(found && pathWith(found, environment)).toEqual({
    PATH: `${join(newest, "..")}:/nowhere`,
  });
});

describe("programs that Landline itself runs", () => {
  it("are not searched in the session's folders, under any path, nor in npm packages", () => {
    const tool = program("trusted/tool");
    program("project/bin/tool");
    program("packages/node_modules/.bin/tool");
    symlinkSync(join(top, "project/bin"), join(top, "link"));
    symlinkSync(join(top, "project"), join(top, "also"));
    const names = ["project/bin", "also/bin", "link", "packages/node_modules/.bin", "trusted"];
    const path = names.map((name) => join(top, name)).join(":");
    for (const root of ["project", "also", "project/bin"])
      expect(findOnPath("tool", { PATH: path }, [join(top, root)])).toBe(tool);
    expect(trustedPath({ PATH: path }, [join(top, "project")])).toBe(join(top, "trusted"));
    expect(findOnPath("tool", { PATH: path }, [])).toBe(join(top, "project/bin/tool"));
  });

  it("are searched in the home folder even if it is the session's folder", () => {
    vi.stubEnv("HOME", join(top, "home"));
    const tool = program("home/bin/tool");
    for (const root of ["home", ""])
      expect(findOnPath("tool", { PATH: join(top, "home/bin") }, [join(top, root)])).toBe(tool);
    vi.unstubAllEnvs();
  });

  it("come first in PATH", () => {
    const path = "/p/node_modules/.bin:.:/usr/bin::./bin:/p/bin";
    expect(projectFoldersLast(path)).toBe("/usr/bin:/p/bin:/p/node_modules/.bin:.::./bin");
  });
});
