import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSkipped } from "./skipped.ts";

const run = promisify(execFile);
const user = 4321;
/** Root can read every folder, so the tests run as another user. */
const asUser =
  process.getuid?.() === 0
    ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"]
    : ["env"];
const source = join(import.meta.dirname, "../src/index.ts");
const node = [process.execPath, "--conditions=@landline/source"];

function worksAsUser(...words: readonly string[]): boolean {
  const [file = "", ...args] = [...asUser, ...words];
  return spawnSync(file, args, { cwd: "/" }).status === 0;
}

const cannotRun =
  isSkipped ||
  !worksAsUser("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true") ||
  !worksAsUser(...node, "-e", `import(${JSON.stringify(source)})`);

describe.skipIf(cannotRun)("a folder that cannot be searched", () => {
  let top: string;
  const project = () => join(top, "home/project");

  beforeEach(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), "landline-unsearchable-")));
    const files = {
      "project/.env": "SECRET",
      "project/sub/.env": "SECRET",
      "project/sub/deep/.env": "SECRET",
      "project/.git/config": "[core]\n",
      "project/.git/hooks/pre-commit": "#!/bin/sh\n",
      "project/var/data/token": "SECRET",
      ".cargo/credentials.toml": "SECRET",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(top, "home", name)), { recursive: true });
      await writeFile(join(top, "home", name), text);
    }
    await chmod(top, 0o755);
    if (process.getuid?.() === 0) await run("chown", ["-R", `${user}:${user}`, join(top)]);
    await writeFile(
      join(top, "confined.mjs"),
      `import { spawnSync } from "node:child_process";
      import { findSandbox } from ${JSON.stringify(source)};
      const [home, cwd, hidden, ...lines] = process.argv.slice(2);
      const { sandbox } = await findSandbox({ home, data: home + "/data" });
      const policy = { write: [cwd], caches: [home + "/.cargo"], read: [], hide: [hidden], network: "off" };
      for (const line of lines) {
        try {
          const call = { file: "/bin/bash", args: ["-c", "exec 2>&1; " + line], cwd };
          const { file, args } = await sandbox.confine(call, policy);
          const { stdout, stderr } = spawnSync(file, args, { encoding: "utf8", env: { HOME: home } });
          console.log(stdout + stderr);
        } catch (error) {
          console.log(error.message);
        }
      }`,
    );
  });
  afterEach(async () => {
    await run("chmod", ["-R", "u+rwX", top]);
    await rm(top, { recursive: true });
  });

  /** Runs the lines confined, one after another, and returns their output. */
  async function confined(...lines: readonly string[]): Promise<string> {
    const own = [join(top, "home"), project(), join(project(), "var/data")];
    const words = [...asUser, ...node, join(top, "confined.mjs"), ...own, ...lines];
    const [file = "", ...args] = words;
    return (await run(file, args, { cwd: "/" })).stdout;
  }

  test.each(["0", "400", "300"])("is covered, with mode %s", async (mode) => {
    const said = await confined(
      `chmod ${mode} sub && echo done`,
      "chmod 755 sub; cat sub/.env sub/deep/.env",
    );
    expect(said).toMatch(/^done\n/);
    expect(said).toContain("Permission denied");
    expect(said).not.toContain("SECRET");
  });

  test("is covered if it is the .git folder", async () => {
    const said = await confined(
      "chmod 0 .git && echo done",
      "chmod 755 .git; echo x >> .git/config; echo x >> .git/hooks/pre-commit; echo started",
    );
    expect(said).toMatch(/^done\n[^]*started\n/);
    expect(await readFile(join(project(), ".git/config"), "utf8")).toBe("[core]\n");
  });

  test.each([
    ["as a folder of the session", "chmod 311 .", "chmod 755 .; cat .env", "cannot be covered"],
    [
      "above a hidden folder",
      "chmod 0 var",
      "chmod 755 var; cat var/data/token",
      "var/data cannot be guarded",
    ],
    [
      "above a known credential",
      "chmod 0 ~/.cargo",
      "chmod 755 ~/.cargo; cat ~/.cargo/credentials.toml",
      "cannot be guarded",
    ],
  ])("prevents the start of every program: %s", async (_, before, after, problem) => {
    const said = await confined(`${before} && echo done`, after);
    expect(said).toMatch(/^done\n/);
    expect(said).toContain(problem);
    expect(said).not.toContain("SECRET");
  });
});
