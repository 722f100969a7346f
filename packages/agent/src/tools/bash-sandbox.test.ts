import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openJudge, type Verdict } from "@landline/shell";
import { CommandSandbox, SandboxFinder } from "../workspace/command-sandbox.ts";
import { confinementFor } from "./bash-sandbox.ts";
import { findDenials, leaveSandboxQuestion, withOpened } from "./sandbox-denials.ts";
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

const closed = {
  network: "off",
  isUnasked: true,
  write: [],
  read: [],
  opened: [],
  openedToRead: [],
} as const;
type Network = "off" | "on" | readonly string[];

interface Failure {
  deniedHosts?: readonly string[];
  network?: Network;
  opened?: readonly string[];
}

/** The sandbox denied something, according to the output. Programs write anything. */
function denied(output: string, { deniedHosts = [], network = "off", opened = [] }: Failure = {}) {
  const roots = [at("home/project")];
  const finder = new SandboxFinder({
    home: at("home"),
    data: at("home/data"),
    hidden: [at("home/data")],
  });
  const sandbox = new CommandSandbox(finder, () => ({
    isWanted: true,
    write: [],
    read: [],
    caches: null,
    network: "off",
  }));
  const context = {
    workspace: { roots, display: (path: string) => path, cwd: roots[0], sandbox },
  } as unknown as ToolContext;
  return findDenials({
    output,
    deniedHosts,
    permits: () => true,
    opened: new Set(opened),
    confinement: { ...closed, network },
    workdir: at("home/project"),
    context,
  });
}

const readOnly = (name: string) => `x: ${name}: Read-only file system`;
const missing = (name: string) => `x: ${name}: No such file or directory`;

async function one(output: string, failure?: Failure) {
  const all = await denied(output, failure);
  expect(all).toHaveLength(1);
  const { request, opening } = all[0]!;
  const { what, adds } = opening;
  return { what, request, adds, opening, after: adds && withOpened(closed, all) };
}

const optionsFor = async (output: string, failure?: Failure) =>
  leaveSandboxQuestion("./x", await denied(output, failure)).options.map(({ name, kind }) => [
    kind,
    name,
  ]);

const outside = ["allow_once", "Run outside the sandbox once"];
const reject = ["reject_once", "Reject"];

it("opens the folder of a new file, and an existing file alone", async () => {
  const made = await one(readOnly(at("home/other/new")));
  expect(made.what).toBe(`changing "${at("home/other/new")}"`);
  expect(made.after).toEqual({ ...closed, write: [at("home/other")] });
  expect(made.request.mustAsk).toBeUndefined();
  const changed = await one(readOnly(at("home/other/notes")));
  expect(changed.after).toEqual({ ...closed, write: [at("home/other/notes")] });
  const read = await one(missing(at("home/other/notes")));
  expect(read.after).toEqual({ ...closed, read: [at("home/other/notes")] });
});

it("offers to run outside, to open what was denied for the session, and to reject", async () => {
  expect(await optionsFor(readOnly(at("home/other/new")))).toEqual([
    outside,
    ["allow_always", `Allow changing any file in "${at("home/other")}" in this session`],
    reject,
  ]);
  expect(await optionsFor("curl: (6) Could not resolve host: example.com")).toEqual([
    outside,
    ["allow_always", "Allow connecting to example.com in this session"],
    reject,
  ]);
});

it.each(["/x", "home/new", "new"])(
  "never opens the whole system or the home folder: %s",
  async (name) => {
    const output = readOnly(name.startsWith("/") ? name : at(name));
    expect((await one(output)).adds).toBeNull();
    expect(await optionsFor(output)).toEqual([outside, reject]);
  },
);

it.each(["home", "home/", "/"])("never shows everything: %s", async (name) => {
  const found = await denied(missing(name === "/" ? name : at(name)));
  expect(found.flatMap(({ opening }) => opening.adds ?? [])).toEqual([]);
});

it("opens a protected file of the home folder only once, if a person allows it", async () => {
  const output = readOnly(at("home/.bashrc"));
  const { after, request } = await one(output);
  expect(after?.write).toEqual([at("home/.bashrc")]);
  expect(request.mustAsk).toEqual([expect.stringContaining("shell start-up files")]);
  expect(await optionsFor(output)).toEqual([
    outside,
    ["allow_once", `Allow changing "${at("home/.bashrc")}" once`],
    reject,
  ]);
});

it("lets only a person open a credential, by the target of a link", async () => {
  for (const name of ["home/.ssh/id_rsa", "home/other/innocent/id_rsa"]) {
    const found = await one(missing(at(name)));
    expect(found.what).toBe(`reading "${at("home/.ssh/id_rsa")}"`);
    expect(found.request.mustAsk).toEqual([expect.stringContaining("may hold")]);
    expect(found.after?.read).toEqual([at("home/.ssh/id_rsa")]);
    expect(found.opening.isOnce).toBe(true);
  }
});

it("names everything that was denied in one question, and remembers nothing if a credential is among it", async () => {
  const output = [readOnly(at("home/other/new")), missing(at("home/.ssh/id_rsa"))].join("\n");
  const { requests, options } = leaveSandboxQuestion(
    "./x",
    await denied(output, { deniedHosts: ["example.com:443"] }),
  );
  const key = at("home/.ssh/id_rsa");
  for (const { leavesSandbox } of requests)
    expect(leavesSandbox?.split("\n")).toEqual([
      `The sandbox kept it from changing "${at("home/other/new")}".`,
      `The sandbox kept it from reading "${key}".`,
      "The sandbox kept it from connecting to example.com.",
      `You can allow once: changing any file in "${at("home/other")}".`,
      `You can allow once: reading "${key}".`,
      "You can allow once: connecting to example.com.",
      `Note that "${key}" may hold an SSH key.`,
      "If you allow it, the command runs again from the beginning.",
    ]);
  expect(options.map(({ id, rules }) => [id, rules])).toEqual([
    ["outside", undefined],
    ["open-once", undefined],
    ["reject", undefined],
  ]);
});

it("trusts the sandbox about hosts, and the output only if the sandbox knows nothing", async () => {
  const output = "curl: (6) Could not resolve host: guessed.example";
  const { after, request } = await one(output, { deniedHosts: ["known.example"] });
  expect(after?.network).toEqual(["known.example"]);
  expect(request).toMatchObject({ permission: "external_host", patterns: ["known.example"] });
  expect((await one(output)).after?.network).toEqual(["guessed.example"]);
  expect(await denied(output, { network: "on" })).toEqual([]);
});

it.each([
  ["a host that is already open", { network: ["guessed.example"] }],
  ["an invalid host", { deniedHosts: ["*.example"] }],
])("opens the whole network once for %s", async (_, failure) => {
  const output = "curl: (6) Could not resolve host: guessed.example";
  expect(await optionsFor(output, failure)).toEqual([
    outside,
    ["allow_once", "Allow the whole network once"],
    reject,
  ]);
});

it("does not offer to open what did not help before", async () => {
  const opened = [`changing "${at("home/other/notes")}"`];
  const { adds, request } = await one(readOnly(at("home/other/notes")), { opened });
  expect(adds).toBeNull();
  expect(request.mustAsk).toEqual([expect.stringContaining("was allowed in the sandbox")]);
});

it("opens nothing for the session that a link redirects", async () => {
  const verdict = { reasons: [], outside: [] } as unknown as Verdict;
  const openings = { write: [at("home/other/innocent"), at("home/other")], read: [], hosts: [] };
  const { write } = (await confinementFor(verdict, { ...grant, openings })) ?? {};
  expect(write).toEqual([at("home/other")]);
});

const grant = {
  network: "off",
  isUnasked: true,
  outputs: "/o",
  openings: { write: [], read: [], hosts: [] },
} as const;

it("opens the file that a line names in the home folder, not the folder", async () => {
  const named = ["home/.bashrc", "home/other/notes"].map((name) => ({
    real: at(name),
    use: "write",
  }));
  const verdict = { reasons: [], outside: named } as unknown as Verdict;
  const { write } = (await confinementFor(verdict, grant)) ?? {};
  expect(write).toEqual([at("home/.bashrc"), at("home/other")]);
});

it.each([
  ["cat .env", { opened: [], openedToRead: ["project/.env"] }],
  ["echo x >> .env", { opened: ["project/.env"], openedToRead: [] }],
  ["cat .env; echo x >> .env", { opened: ["project/.env"], openedToRead: [] }],
])("opens a credential for the access that the line needs: %s", async (line, expected) => {
  await writeFile(at("home/project/.env"), "");
  const judge = await openJudge(at("home"));
  const cwd = at("home/project");
  const verdict = await judge.judge(line, { cwd, roots: [cwd], home: at("home") });
  const paths = (names: readonly string[]) => names.map((name) => at("home", name));
  expect(await confinementFor(verdict, grant)).toMatchObject({
    opened: paths(expected.opened),
    openedToRead: paths(expected.openedToRead),
  });
});
