import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSandbox, type Sandbox } from "../src/index.ts";
import { changedDuringSetup, expectedMounts } from "../src/mount-check.ts";
import { isSkipped } from "./skipped.ts";

const run = promisify(execFile);

describe.skipIf(isSkipped)("a program, while other processes change the project,", () => {
  let top: string;
  let sandbox: Sandbox;
  const at = (...names: string[]) => join(top, ...names);
  const project = () => at("home/project");
  const policy = () => ({ write: [project()], caches: [], read: [], network: "off" }) as const;

  const pinned = () => join(project(), "x/.github");

  beforeEach(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), "landline-sandbox-")));
    await mkdir(join(pinned(), "workflows"), { recursive: true });
    await mkdir(at("home/other"));
    const found = await findSandbox({ home: at("home"), data: at("data") });
    if (found.sandbox === null) throw new Error(found.reason);
    ({ sandbox } = found);
  });
  afterEach(async () => {
    await chmod(at("data/unreadable-folder"), 0o700);
    await rm(top, { recursive: true });
  });

  /** A call as bubblewrap executes it when a process replaced `path` by a link while the source was resolved. */
  async function racedCall(path: string, line: string) {
    const call = { file: "/bin/bash", args: ["-pc", line], cwd: project() };
    const { file, args } = await sandbox.confine(call, policy());
    const source = args.findIndex(
      (word, index) => word === path && args[index + 1] === path && args[index - 1] !== "--",
    );
    expect(args[source - 1]).toMatch(/^--(?:ro-)?bind$/);
    return { file, args: args.with(source, at("home/other")) };
  }

  const failed = (error: { stdout: string; stderr: string; code: number }) => error;

  test("does not start if a link redirected a mount out of the project", async () => {
    const { file, args } = await racedCall(pinned(), "echo x > x/.github/new; echo started");
    const { stdout, stderr, code } = await run(file, args).then(
      (ended) => ({ ...ended, code: 0 }),
      failed,
    );
    expect({ stdout, stderr, code }).toEqual({
      stdout: "",
      stderr: `${changedDuringSetup}\n`,
      code: 137,
    });
    expect(await readdir(at("home/other"))).not.toContain("new");
  });

  test("does not start if a link redirected a mount over programs of the system", async () => {
    const { file, args } = await racedCall(pinned(), "echo started");
    const place = args.lastIndexOf(pinned());
    const tools = join(project(), "x/tools");
    await mkdir(tools);
    await writeFile(join(tools, "bash"), "#!/bin/sh\necho started\n", { mode: 0o755 });
    const raced = args.with(place, "/usr/bin").with(place - 1, tools);
    const { stdout, stderr } = await run(file, raced).catch(failed);
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: `${changedDuringSetup}\n` });
  });

  test("is checked by programs that load no code from the environment", async () => {
    const { file, args } = await racedCall(pinned(), "echo started");
    const evil = join(project(), "x/evil");
    await writeFile(evil, "echo evil; exit");
    const env = {
      ...process.env,
      BASH_ENV: evil,
      ENV: evil,
      SHELLOPTS: "xtrace",
      PS4: "$(echo evil >&2)",
      "BASH_FUNC_echo%%": "() { /bin/echo evil; }",
    };
    const { stdout, stderr } = await run(file, args, { env }).catch(failed);
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: `${changedDuringSetup}\n` });
  });

  test("is not confined by a layout whose source is behind a link", async () => {
    await symlink("x", join(project(), "y"));
    const path = join(project(), "y/.github");
    await expect(expectedMounts([{ option: "--bind", from: path, at: path }])).rejects.toThrow(
      changedDuringSetup,
    );
    await rm(join(project(), "y"));
  });

  test("checks any number of files, with any name", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `it's "$(x)"\n${index}.pem`);
    await Promise.all(names.map((name) => writeFile(join(project(), "x", name), "KEY")));
    const call = { file: "/bin/bash", args: ["-c", "cat x/*299.pem"], cwd: project() };
    const { file, args } = await sandbox.confine(call, policy());
    const { stderr } = await run(file, [...args]).catch(failed);
    expect(stderr).toContain("Permission denied");
  });
});
