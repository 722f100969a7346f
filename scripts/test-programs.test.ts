import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** The only folder on the PATH. */
let programs: string;

beforeEach(async () => {
  programs = await fs.mkdtemp(path.join(tmpdir(), "landline-programs-"));
});
afterEach(() => fs.rm(programs, { recursive: true, force: true }));

function program(name: string, script: string): Promise<void> {
  return fs.writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const called = () => fs.readFile(path.join(programs, "called"), "utf8").catch(() => "");
const aptGet = (outcome: string) =>
  program("apt-get", `echo "$@" >> ${programs}/called\n${outcome}`);

/** Runs the set-up step for a user and a platform, with a fake apt-get. */
function ensure({ uid = 0, platform = "linux" } = {}) {
  const script = `
    process.getuid = () => ${uid};
    Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} });
    const programs = require(${JSON.stringify(path.join(import.meta.dirname, "test-programs.cjs"))});
    programs.ensureAll((error) =>
      console.log(error ? "failed: " + error.message : "done " + programs.find("strace")));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
    env: { PATH: programs },
    encoding: "utf8",
  });
  return stderr + stdout;
}

test("uses programs that are installed", async () => {
  await program("strace", "");
  await program("bwrap", "");
  await program("openssl", "");
  await aptGet("exit 1");
  expect(ensure()).toBe(`done ${programs}/strace\n`);
  expect(await called()).toBe("");
});

test("installs missing programs as root with apt-get", async () => {
  await aptGet(`for name in strace bwrap openssl; do echo > ${programs}/$name; done
    /bin/chmod +x ${programs}/strace ${programs}/bwrap ${programs}/openssl`);
  expect(ensure()).toMatch(
    /Installing strace[^]*strace is installed, \d+ s\.\nInstalling bubblewrap[^]*done .*\/strace\n$/,
  );
  const install = "install -y --no-install-recommends -o DPkg::Lock::Timeout=300";
  const installed = ["strace", "bubblewrap", "openssl"].map((name) => `${install} ${name}\n`);
  expect(await called()).toBe(installed.join(""));
});

test("as root with apt-get, a program that cannot be installed is an error", async () => {
  await program("strace", "");
  await aptGet('echo "E: no network" >&2; exit 100');
  expect(ensure()).toMatch(/failed: [^]*E: no network[^]*bubblewrap could not be installed/);
});

test.each([
  ["without apt-get", { uid: 0 }, false],
  ["for another user", { uid: 1_000 }, true],
  ["on another system", { platform: "darwin" }, true],
])("%s, the set-up says that tests are skipped", async (_, options, hasAptGet) => {
  if (hasAptGet) await aptGet("exit 1");
  expect(ensure(options)).toBe(
    `strace was not found: the tests that need it are skipped.
bubblewrap was not found: the tests that need it are skipped.
openssl was not found: the tests that need it are skipped.
done null
`,
  );
  expect(await called()).toBe("");
});
