import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** The only folder on the PATH. */
let programs: string;

beforeEach(async () => {
  programs = await fs.mkdtemp(path.join(tmpdir(), "landline-chromium-"));
});
afterEach(() => fs.rm(programs, { recursive: true, force: true }));

function program(name: string, script: string): Promise<void> {
  return fs.writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const said = () => fs.readFile(path.join(programs, "said"), "utf8").catch(() => "");

/** Runs as root or as another user, with a fake apt-get. */
function run(call: string, { uid = 0, env = {} } = {}) {
  const script = `
    process.getuid = () => ${uid};
    const chromium = require(${JSON.stringify(path.join(import.meta.dirname, "chromium.cjs"))});
    const tell = (error) => console.log(error ? "failed: " + error.message : "done");
    try { ${call} } catch (error) { tell(error); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
    env: { PATH: programs, ...env },
    encoding: "utf8",
  });
  return stdout + stderr;
}

const find = "console.log(chromium.findChromium())";
const ensure = "chromium.ensureChromium(tell)";
const aptGet = (outcome: string) => program("apt-get", `echo "$@" >> ${programs}/said\n${outcome}`);
const install = "install -y --no-install-recommends -o DPkg::Lock::Timeout=300 chromium\n";
const brings = () => `echo > ${programs}/chromium; /bin/chmod +x ${programs}/chromium`;

test("finds a browser by CHROME_PATH, then by name", async () => {
  await program("chromium", "");
  await program("chrome", "");
  expect(run(find)).toBe(`${programs}/chromium\n`);
  const env = { CHROME_PATH: `${programs}/chrome` };
  expect(run(find, { env })).toBe(`${programs}/chrome\n`);
  expect(run(find, { env: { CHROME_PATH: "/no/such/chrome" } })).toContain(
    "CHROME_PATH is not an executable file: /no/such/chrome",
  );
  expect(run(ensure)).toBe("done\n");
});

test("installs the Debian package as root", async () => {
  await aptGet(brings());
  expect(run(ensure)).toMatch(/^done\nInstalling Chromium[^]*Chromium is installed, \d+ s\.\n$/);
  expect(await said()).toBe(install);
  expect(run(ensure)).toBe("done\n");
});

test("fetches missing package lists first", async () => {
  await aptGet(`if [ "$1" = update ]; then echo > ${programs}/lists; exit; fi
    [ -e ${programs}/lists ] || exit 100
    ${brings()}`);
  expect(run(ensure)).toContain("Chromium is installed");
  expect(await said()).toBe(`${install}update\n${install}`);
});

test("a failed install reports the output of apt-get and the alternatives", async () => {
  await aptGet('echo "E: no network" >&2; exit 100');
  expect(run(ensure)).toMatch(/failed: [^]*E: no network[^]*npm test -- --no-browser/);
});

test("reports the install command where it can't install", async () => {
  expect(run(ensure)).toMatch(/none was found[^]*install Chromium or Chrome[^]*--no-browser/);
  await aptGet(brings());
  expect(run(ensure, { uid: 1_000 })).toMatch(
    /failed: [^]*sudo apt-get install -y --no-install-recommends chromium/,
  );
  expect(await said()).toBe("");
  expect(run(find)).toContain("none was found");
});
