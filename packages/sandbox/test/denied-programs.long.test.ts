import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  findSandbox,
  type Opening,
  openingsFor,
  type Sandbox,
  type SandboxPolicy,
} from "../src/index.ts";
import { isSkipped } from "./skipped.ts";

const python = "/usr/bin/python3";
const hasPython = spawnSync(python, ["--version"]).status === 0;

describe.skipIf(isSkipped)("what the sandbox denied to a real program", () => {
  let top: string;
  let sandbox: Sandbox;
  const at = (...names: string[]) => join(top, ...names);
  const project = () => at("project");

  beforeAll(async () => {
    top = await realpath(await mkdtemp(join(homedir(), ".landline-test-denied-")));
    const files = {
      "project/README.md": "readme\n",
      "project/.env": "SECRET=1\n",
      "project/append.py": 'with open(".env", "a") as file:\n    file.write("x")\n',
      "project/read.py": 'with open(".env") as file:\n    file.read()\n',
      "project/text.py":
        'import pathlib, sys\npathlib.Path(sys.argv[1]).write_text("x", encoding="utf8")\n',
      "other/notes": "notes\n",
      "shown/notes": "notes\n",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(at(name)), { recursive: true });
      await writeFile(at(name), text);
    }
    spawnSync("git", ["init", "-q", project()]);
    const found = await findSandbox({ home: homedir(), data: at("data") });
    if (found.sandbox === null) throw new Error(found.reason);
    ({ sandbox } = found);
  });
  afterAll(async () => {
    await chmod(at("data/unreadable-folder"), 0o700);
    await rm(top, { recursive: true });
  });

  /** The openings that a person would be offered for the line, by access and path. */
  async function denied(line: string, isLineKnown: boolean): Promise<string[]> {
    const openings = await openingsOf(line, isLineKnown);
    const home = await realpath(homedir());
    return openings.map(({ kind, target }) => {
      const path = target?.replace(top, "TOP").replace(home, "~");
      return `${kind === "read" ? "reading" : "changing"} ${path}`;
    });
  }

  async function openingsOf(line: string, isLineKnown: boolean): Promise<Opening[]> {
    const policy: SandboxPolicy = {
      write: [project()],
      caches: [],
      read: [at("shown"), dirname(process.execPath)],
      network: "off",
    };
    const call = { file: "/bin/bash", args: ["-c", line], cwd: project() };
    const { file, args, permits } = await sandbox.confine(call, policy);
    const env = { ...process.env, HOME: homedir(), LC_ALL: "C.UTF-8", NODE: process.execPath };
    const { stdout, stderr } = spawnSync(file, args, { cwd: project(), env, encoding: "utf8" });
    return openingsFor({
      output: stdout + stderr,
      deniedHosts: [],
      policy,
      permits,
      cwd: project(),
      home: homedir(),
      closed: [at("data")],
      ...(isLineKnown && { line }),
    });
  }

  const node = (code: string) => `"$NODE" -e 'const { HOME } = process.env; ${code}'`;

  test.each([
    "cat .env",
    "cat < .env",
    "sh -c 'cat < .env'",
    "cp .env copy",
    "dd if=.env of=copy",
    node('fs.readFileSync(".env")'),
    node('fs.copyFileSync(".env", "copy")'),
    node('function writeFile() { fs.readFileSync(".env"); } writeFile()'),
  ])("reading: %s", async (line) => {
    expect(await denied(line, true)).toEqual(["reading TOP/project/.env"]);
  });

  test.each([
    "echo x > .env",
    "sh -c 'echo x >> .env'",
    "bash -c 'echo x >> .env'",
    "dd if=README.md of=.env conv=notrunc",
    "echo x | tee -a .env",
    "touch .env",
    "truncate -s 0 .env",
    node('fs.appendFileSync(".env", "x")'),
    node('fs.promises.appendFile(".env", "x")'),
    node('fs.createWriteStream(".env", { flags: "a" })'),
    node('fs.copyFileSync("README.md", ".env")'),
  ])("changing a credential: %s", async (line) => {
    expect(await denied(line, false)).toEqual(["changing TOP/project/.env"]);
  });

  test.each([
    "sh -c 'echo x > ../other/notes'",
    "tee ../other/notes < README.md",
    "touch ../other/notes",
    "cp README.md ../other/notes",
    "mv README.md ../other/notes",
    "mv ../other/notes README.md",
    "rm ../other/notes",
    node('fs.writeFileSync("../other/notes", "x")'),
    node('fs.unlinkSync("../other/notes")'),
  ])("changing a hidden file: %s", async (line) => {
    expect(await denied(line, false)).toEqual(["changing TOP/other/notes"]);
  });

  test.skipIf(!hasPython)("Python's output shows the attempted access", async () => {
    expect(await denied(`${python} read.py`, false)).toEqual(["reading TOP/project/.env"]);
    expect(await denied(`${python} append.py`, false)).toEqual(["changing TOP/project/.env"]);
    expect(await denied(`${python} text.py ../other/notes`, false)).toEqual([
      "changing TOP/other/notes",
    ]);
  });

  test.each([
    ["echo x >> .env", "TOP/project/.env"],
    ["echo x > ../other/notes", "TOP/other/notes"],
    ["sed -i s/a/b/ ../other/notes", "TOP/other/notes"],
  ])("the line shows the access if the output does not: %s", async (line, path) => {
    expect(await denied(line, true)).toEqual([`changing ${path}`]);
  });

  test.each([
    ["mkdir ~/landline-new", "~/landline-new"],
    ["mkdir -p ~/landline-new/deep", "~/landline-new"],
    ["mkdir -p ../other/deep", "TOP/other"],
    ["mkdir ../other/deep", "TOP/other/deep"],
    ["cp README.md ~/landline-new", "~/landline-new"],
    ["cp README.md ../other/", "TOP/other"],
    ["mv README.md ~/landline-new", "~/landline-new"],
    ["mv README.md ../other/", "TOP/other"],
    ["tar cf ~/landline-new README.md", "~/landline-new"],
    ["git clone -q . ~/landline-new/clone", "~/landline-new/clone"],
    ["git config a.b c", "TOP/project/.git/config"],
    [node("fs.mkdirSync(`${HOME}/landline-new`)"), "~/landline-new"],
    [node("fs.mkdirSync(`${HOME}/landline-new`, { recursive: true })"), "~/landline-new"],
    [node("fs.mkdirSync(`${HOME}/landline-new/deep`, { recursive: true })"), "~/landline-new/deep"],
    [node('fs.mkdirSync("../other", { recursive: true })'), "TOP/other"],
    [node('fs.mkdirSync("../other/deep/er", { recursive: true })'), "TOP/other/deep/er"],
    [node("fs.promises.mkdir(`${HOME}/landline-new/deep`, { recursive: true })"), "~/landline-new"],
    [node('fs.mkdirSync("/usr/new/deep", { recursive: true })'), "/usr/new/deep"],
    [node('fs.mkdirSync(".git/hooks/new", { recursive: true })'), "TOP/project/.git/hooks/new"],
    [node('fs.renameSync("README.md", `${HOME}/landline-new`)'), "~/landline-new"],
    [node('fs.renameSync("README.md", "../other/notes")'), "TOP/other/notes"],
    [node('fs.copyFileSync("README.md", `${HOME}/landline-new`)'), "~/landline-new"],
  ])("changing a folder: %s", async (line, path) => {
    expect(await denied(line, false)).toEqual([`changing ${path}`]);
  });

  test.each([
    "mv README.md .env",
    "rm .env",
    node('fs.renameSync("README.md", ".env")'),
    node('fs.rmSync(".env")'),
  ])("replacing a credential: %s", async (line) => {
    expect(await denied(line, false)).toEqual(["changing TOP/project/.env"]);
  });

  test.skipIf(!hasPython).each([
    ["os.makedirs(HOME + '/landline-new/deep')", ["~/landline-new"]],
    ["os.mkdir('../other/deep')", ["TOP/other/deep"]],
    ["os.rename('README.md', HOME + '/landline-new')", ["~/landline-new"]],
    ["os.rename('README.md', '.env')", ["TOP/project/.env"]],
    ["shutil.move('README.md', HOME + '/landline-new')", ["~/landline-new"]],
    ["os.remove('.env')", ["TOP/project/.env"]],
  ])("changes by Python: %s", async (code, paths) => {
    const line = `${python} -c "import os, shutil; HOME = os.environ['HOME']; ${code}"`;
    expect(await denied(line, false)).toEqual(paths.map((path) => `changing ${path}`));
  });

  test.each([
    "cp README.md no/such/",
    "mkdir no/such",
    "mkdir /tmp/no/such",
    node('fs.mkdirSync("no/such")'),
    node('fs.mkdirSync("/tmp/no/such")'),
    node('fs.renameSync("no-such", "README.md")'),
    node('fs.renameSync("README.md", "/tmp/new")'),
    "rmdir .",
  ])("a failure not caused by the sandbox: %s", async (line) => {
    expect(await denied(line, false)).toEqual([]);
  });

  test("for recursively created folders, the existing parent is opened", async () => {
    const made = (path: string) => node(`fs.mkdirSync("${path}", { recursive: true })`);
    expect(await openingsOf(made("../other/deep/er"), false)).toMatchObject([
      { adds: { write: [at("other")] } },
    ]);
    expect(await openingsOf(made("../new/deep"), false)).toMatchObject([{ adds: null }]);
  });

  test("no opening allows moving a file out of the sandbox's mounts", async () => {
    const move = node('fs.renameSync("README.md", "../shown/new")');
    const target = at("shown/new");
    expect(await openingsOf(move, false)).toMatchObject([{ target, adds: null }]);
    // A program that copies it instead can be allowed.
    const copied = [{ target, adds: { write: [at("shown")] } }];
    expect(await openingsOf("mv README.md ../shown/new", false)).toMatchObject(copied);
    const fallback = `try { fs.renameSync("README.md", "../shown/new") } catch (error) {
      console.error(error.message); fs.copyFileSync("README.md", "../shown/new") }`;
    expect(await openingsOf(node(fallback), false)).toMatchObject(copied);
  });
});
