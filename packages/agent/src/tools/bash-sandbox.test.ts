import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Denial } from "@landline/sandbox";
import { confinementFor, openingFor } from "./bash-sandbox.ts";
import type { Verdict } from "@landline/shell";
import type { ToolContext } from "./tool.ts";

let top: string;
const at = (...names: string[]) => join(top, ...names);

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "landline-opening-")));
  for (const name of ["home/project/a", "home/.bashrc", "home/.ssh/id_rsa", "home/other/notes"]) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), "");
  }
  await symlink(at("home/.ssh"), at("home/other/innocent"));
  vi.stubEnv("HOME", at("home"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(top, { recursive: true });
});

const closed = { network: "off", write: [], read: [], opened: [] } as const;

/** The sandbox stopped a line, as its output says. Programs write what they like. */
function opening(kind: Denial["kind"], what: string) {
  const context = { workspace: { roots: [at("home/project")] } } as unknown as ToolContext;
  const workdir = at("home/project");
  return openingFor("./x", [{ kind, what }], { confinement: closed, workdir, context });
}

it("opens the folder that it names", async () => {
  const found = await opening("write", at("home/other/new"));
  expect(found?.confinement).toEqual({ ...closed, write: [at("home/other")] });
  expect(found?.request.view?.title).toContain(`in ${at("home/other")})`);
  expect(found?.request.mustAsk).toBeUndefined();
});

it.each([
  ["write", "/x"],
  ["write", "home/new"],
  ["write", "new"],
  ["missing", "home"],
  ["missing", "home/"],
  ["missing", "/"],
] as const)("never opens all of the system or the home folder: %s %s", async (kind, name) => {
  expect(await opening(kind, name.startsWith("/") ? name : at(name))).toBeNull();
});

it("opens a single file of the home folder, and a person decides", async () => {
  const found = await opening("write", at("home/.bashrc"));
  expect(found?.confinement.write).toEqual([at("home/.bashrc")]);
  expect(found?.request.mustAsk).toEqual([expect.stringContaining("shell start-up files")]);
  expect(found?.request.always).toEqual([]);
});

it("lets only a person open a credential, by the name that a link leads to", async () => {
  for (const name of ["home/.ssh/id_rsa", "home/other/innocent/id_rsa"]) {
    const found = await opening("missing", at(name));
    expect(found?.what).toBe(`reading ${at("home/.ssh/id_rsa")}`);
    expect(found?.request.mustAsk).toEqual([expect.stringContaining("may hold")]);
    expect(found?.confinement.read).toEqual([at("home/.ssh/id_rsa")]);
  }
});

it("opens for a line the file that it names in the home folder, and not the folder", async () => {
  const named = ["home/.bashrc", "home/other/notes"].map((name) => ({
    real: at(name),
    use: "write",
  }));
  const verdict = { reasons: [], outside: named } as unknown as Verdict;
  const { write } = (await confinementFor(verdict, { hasNetwork: false, outputs: "/o" })) ?? {};
  expect(write).toEqual([at("home/.bashrc"), at("home/other")]);
});
