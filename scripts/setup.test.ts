import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lives } from "../packages/system/test/live-processes.ts";

/**
 * A temporary tree with the set-up scripts, a fake npm that records its calls, and a fake build that copies one source.
 */
let tree: string;
let npm: string;

beforeEach(async () => {
  tree = await fs.mkdtemp(path.join(tmpdir(), "landline-setup-"));
  npm = path.join(tree, "npm.js");
  await fs.mkdir(path.join(tree, "scripts/build"), { recursive: true });
  await fs.mkdir(path.join(tree, "packages/cli/src"), { recursive: true });
  for (const file of [
    "run.cjs",
    "setup.cjs",
    "bundle.cjs",
    "chromium.cjs",
    "debian.cjs",
    "test-programs.cjs",
  ]) {
    await fs.copyFile(path.join(import.meta.dirname, file), path.join(tree, "scripts", file));
  }
  await fs.writeFile(path.join(tree, "scripts/build.ts"), build);
  await fs.writeFile(path.join(tree, "packages/cli/package.json"), "{}");
  await useSource("console.log(`started ${process.argv.slice(2)}`)");
  await fs.writeFile(path.join(tree, "package-lock.json"), "{}");
  await useNpm(`
    fs.appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");
    fs.mkdirSync("node_modules/.bin", { recursive: true });
    fs.rmSync("node_modules/.bin/node", { force: true });
    fs.symlinkSync(${JSON.stringify(process.execPath)}, "node_modules/.bin/node");`);
});
afterEach(() => fs.rm(tree, { recursive: true, force: true }));

const build = `
  const fs = require("node:fs");
  const { bundle } = require("./bundle.cjs");
  const folder = bundle.dist + "/" + bundle.wantedName();
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync("packages/cli/src/start.ts", folder + "/landline.js");
  fs.appendFileSync("builds", "built\\n");`;

function useSource(script: string): Promise<void> {
  return fs.writeFile(path.join(tree, "packages/cli/src/start.ts"), script);
}

function useNpm(script: string): Promise<void> {
  return fs.writeFile(npm, `const fs = require("fs"); ${script}`);
}

function start(command: string[], nodeArgs: string[] = [], env = {}): ChildProcess {
  return spawn(process.execPath, [...nodeArgs, path.join(tree, "scripts/run.cjs"), ...command], {
    env: { ...process.env, npm_execpath: npm, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(command: string[], nodeArgs: string[] = [], env = {}) {
  const child = start(command, nodeArgs, env);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

const linesOf = async (file: string) => {
  const text = await fs.readFile(path.join(tree, file), "utf8").catch(() => "");
  return text.split("\n").length - 1;
};
const installs = () => linesOf("calls");

test("the first command installs packages and runs; the next one runs at once", async () => {
  const first = await run(["start", "--port", "0"]);
  expect(first).toEqual({
    code: 0,
    output: expect.stringMatching(
      /Installing packages[^]*Installed in \d+ s\.\n✓ build \(.*\)\nstarted serve,--next-port,--port,0/,
    ),
  });
  expect(await fs.readFile(path.join(tree, "calls"), "utf8")).toMatch(/^install .*--no-save/);
  expect(await run(["start"])).toEqual({
    code: 0,
    output: "started serve,--next-port\n",
  });
  expect(await installs()).toBe(1);
});

test("builds the bundle again if and only if its sources changed", async () => {
  await run(["start"]);
  await run(["start"]);
  expect(await linesOf("builds")).toBe(1);
  const source = path.join(tree, "packages/cli/src/start.ts");
  const { atime, mtime } = await fs.stat(source);
  await useSource("console.log('changed', __dirname)");
  // A change must be noticed even if the modification time is the same.
  await fs.utimes(source, atime, mtime);
  expect((await run(["start"])).output).toMatch(/build[^]*changed/);
  await useSource("console.log(`started ${process.argv.slice(2)}`)");
  expect((await run(["start"])).output).toBe("started serve,--next-port\n");
  await fs.writeFile(path.join(tree, "packages/cli/src/start.test.ts"), "a test is not in it");
  await run(["start"]);
  expect(await linesOf("builds")).toBe(2);
});

test("the command line runs the bundle if it matches the sources, and otherwise the sources", async () => {
  const bin = path.join(tree, "packages/cli/bin/landline.js");
  await fs.mkdir(path.dirname(bin));
  await fs.copyFile(path.join(import.meta.dirname, "../packages/cli/bin/landline.js"), bin);
  await useSource("console.log(__filename, process.argv.slice(2).join())");
  const ran = () => spawnSync(process.execPath, [bin, "serve", "--json"], { encoding: "utf8" });
  expect(ran().stdout).toMatch(/src[/\\]start\.ts serve,--json\n$/);
  await run(["build"]);
  expect(ran().stdout).toMatch(/dist[/\\][0-9a-f]{16}[/\\]landline\.js serve,--json\n$/);
  await useSource("console.log('edited', __filename)");
  expect(ran().stdout).toMatch(/^edited .*start\.ts\n$/);
});

test("reports a failed build and starts nothing", async () => {
  await fs.writeFile(path.join(tree, "scripts/build.ts"), 'throw new Error("no such module")');
  const { code, output } = await run(["start"]);
  expect(code).toBe(1);
  expect(output).toMatch(/no such module[^]*✗ build/);
  expect(output).not.toContain("started");
});

test("installs again if the lockfile changed", async () => {
  await run(["start"]);
  await fs.writeFile(path.join(tree, "package-lock.json"), '{"changed":true}');
  await run(["start"]);
  expect(await installs()).toBe(2);
});

test("a failed installation reports the output of npm and advice, and is tried again", async () => {
  const working = await fs.readFile(npm, "utf8");
  await useNpm(`console.error("npm error network"); process.exit(7);`);
  const failed = await run(["start"]);
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/npm error network[^]*npm reported 7[^]*run the command again/);
  await fs.writeFile(npm, working);
  expect((await run(["start"])).code).toBe(0);
});

test("two commands at once install once", async () => {
  const working = await fs.readFile(npm, "utf8");
  await fs.writeFile(
    npm,
    `${working}; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);`,
  );
  const results = await Promise.all([run(["start"]), run(["start"]), run(["start"])]);
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await installs()).toBe(1);
});

test("does not wait for a set-up that was killed", async () => {
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  await fs.writeFile(path.join(tree, ".setup-busy"), String(dead.pid));
  expect((await run(["start"])).code).toBe(0);
});

test("an old Node installs the pinned Node and runs on it", async () => {
  await fs.writeFile(
    path.join(tree, "old.cjs"),
    'Object.defineProperty(process, "version", { value: "v12.22.0" });',
  );
  expect((await run(["start"], ["--require", path.join(tree, "old.cjs")])).output).toContain(
    "started",
  );
});

test("an old Node on an unsupported platform fails with a clear message", async () => {
  await useNpm(`fs.mkdirSync("node_modules", { recursive: true });`);
  await fs.writeFile(
    path.join(tree, "old.cjs"),
    'Object.defineProperty(process, "version", { value: "v12.22.0" });',
  );
  const { code, output } = await run(["start"], ["--require", path.join(tree, "old.cjs")]);
  expect(code).toBe(1);
  expect(output).toMatch(
    /Landline runs on Node 24\.15 or newer; this is v12\.22\.0.*\nInstall Node 24/,
  );
});

test("the exit code and signals pass through", async () => {
  await useSource("process.exit(3)");
  expect((await run(["start"])).code).toBe(3);
  await useSource(
    'process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1000); console.log("up")',
  );
  const child = start(["start"]);
  await once(child.stdout!, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([5, null]);
});

// npm sends a signal to its shell, which exits without forwarding it.
test.skipIf(process.platform === "win32")(
  "a signal to `npm start` ends what it started",
  async () => {
    const manifest = { scripts: { start: "node scripts/run.cjs start" } };
    await fs.writeFile(path.join(tree, "package.json"), JSON.stringify(manifest));
    const ended = path.join(tree, "ended");
    await useSource(`
    process.on("SIGTERM", () => {
      require("node:fs").writeFileSync(${JSON.stringify(ended)}, "by SIGTERM");
      process.exit(0);
    });
    setInterval(() => {}, 1000);
    console.log("pid " + process.pid + " of " + process.ppid);`);
    await run(["build"]);
    const child = spawn("npm", ["start"], { cwd: tree, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toMatch(/pid \d+ of \d+\n/u);
    const pids = /pid (\d+) of (\d+)\n/u.exec(output)?.slice(1).map(Number) ?? [];
    const closed = once(child, "close");
    child.kill("SIGTERM");
    try {
      await expect.poll(() => pids.filter(lives)).toEqual([]);
      await closed;
      expect(await fs.readFile(ended, "utf8")).toBe("by SIGTERM");
    } finally {
      for (const pid of pids) spawnSync("kill", ["-9", String(pid)]);
    }
  },
  60_000,
);

test("--no-browser skips the browser tests and says so", async () => {
  const vitest = path.join(tree, "node_modules/vitest");
  const { code, output } = await run(["test", "--no-browser", "some/place"]).then(async (first) => {
    // The fake install creates no Vitest, so add it before the second run.
    expect(first.code).toBe(1);
    await fs.mkdir(vitest, { recursive: true });
    await fs.writeFile(path.join(vitest, "package.json"), '{"bin":{"vitest":"./vitest.cjs"}}');
    const script = "console.log(`tests ${process.argv.slice(2)}`)";
    await fs.writeFile(path.join(vitest, "vitest.cjs"), script);
    return run(["test", "--no-browser", "some/place"]);
  });
  expect([code, output]).toEqual([
    0,
    "Skipping the browser tests (--no-browser).\ntests run,--exclude,**/*.browser.test.ts,some/place\n",
  ]);
  expect((await run(["test", "some/place"])).output).toBe("tests run,some/place\n");
  // Other commands receive the flag unchanged.
  expect((await run(["start", "--no-browser"])).output).toContain(
    "started serve,--next-port,--no-browser\n",
  );
});

test("checks for a browser before running all tests", async () => {
  await run(["build"]);
  const { code, output } = await run(["test"], [], { CHROME_PATH: "/no/such/chrome" });
  expect([code, output]).toEqual([1, "\nCHROME_PATH is not an executable file: /no/such/chrome\n"]);
});

test("an unknown command prints the usage", async () => {
  expect(await run(["fly"])).toEqual({ code: 2, output: expect.stringContaining("npm run bench") });
});
