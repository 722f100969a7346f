import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** A tree of its own with our set-up in it, and an npm that only writes down that it was called. */
let tree: string;
let npm: string;

beforeEach(async () => {
  tree = await fs.mkdtemp(path.join(tmpdir(), "landline-setup-"));
  npm = path.join(tree, "npm.js");
  await fs.mkdir(path.join(tree, "scripts"));
  for (const file of ["run.cjs", "setup.cjs"]) {
    await fs.copyFile(path.join(import.meta.dirname, file), path.join(tree, "scripts", file));
  }
  await fs.writeFile(
    path.join(tree, "scripts/start.ts"),
    "console.log(`started ${process.argv.slice(2)}`)",
  );
  await fs.writeFile(path.join(tree, "package-lock.json"), "{}");
  await useNpm(`
    fs.appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");
    fs.mkdirSync("node_modules/.bin", { recursive: true });
    fs.rmSync("node_modules/.bin/node", { force: true });
    fs.symlinkSync(${JSON.stringify(process.execPath)}, "node_modules/.bin/node");`);
});
afterEach(() => fs.rm(tree, { recursive: true, force: true }));

function useNpm(script: string): Promise<void> {
  return fs.writeFile(npm, `const fs = require("fs"); ${script}`);
}

function start(command: string[], nodeArgs: string[] = []): ChildProcess {
  return spawn(process.execPath, [...nodeArgs, path.join(tree, "scripts/run.cjs"), ...command], {
    env: { ...process.env, npm_execpath: npm },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(command: string[], nodeArgs: string[] = []) {
  const child = start(command, nodeArgs);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

const installs = async () => {
  const calls = await fs.readFile(path.join(tree, "calls"), "utf8").catch(() => "");
  return calls.split("\n").length - 1;
};

test("the first command installs and goes on; the next one goes on at once", async () => {
  const first = await run(["start", "--port", "0"]);
  expect(first).toEqual({
    code: 0,
    output: expect.stringMatching(
      /Installing what Landline needs[^]*Installed in \d+ s\.\nstarted --port,0/,
    ),
  });
  expect(await fs.readFile(path.join(tree, "calls"), "utf8")).toMatch(/^install .*--no-save/);
  expect(await run(["start"])).toEqual({ code: 0, output: "started \n" });
  expect(await installs()).toBe(1);
});

test("a changed lockfile is installed again", async () => {
  await run(["start"]);
  await fs.writeFile(path.join(tree, "package-lock.json"), '{"changed":true}');
  await run(["start"]);
  expect(await installs()).toBe(2);
});

test("a failed install says what npm said and what to do, and is tried again", async () => {
  const working = await fs.readFile(npm, "utf8");
  await useNpm(`console.error("npm error network"); process.exit(7);`);
  const failed = await run(["start"]);
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/npm error network[^]*npm said 7[^]*run the command again/);
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

test("a set-up that was killed is not waited for", async () => {
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  await fs.writeFile(path.join(tree, ".setup-busy"), String(dead.pid));
  expect((await run(["start"])).code).toBe(0);
});

test("an old Node installs the runtime and goes on under it", async () => {
  await fs.writeFile(
    path.join(tree, "old.cjs"),
    'Object.defineProperty(process, "version", { value: "v12.22.0" });',
  );
  expect((await run(["start"], ["--require", path.join(tree, "old.cjs")])).output).toContain(
    "started",
  );
});

test("an old Node on a machine that no runtime is made for is told so in words", async () => {
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
  await fs.writeFile(path.join(tree, "scripts/start.ts"), "process.exit(3)");
  expect((await run(["start"])).code).toBe(3);
  await fs.writeFile(
    path.join(tree, "scripts/start.ts"),
    'process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1000); console.log("up")',
  );
  const child = start(["start"]);
  await once(child.stdout!, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([5, null]);
});

test("an unknown command is told what there is", async () => {
  expect(await run(["fly"])).toEqual({ code: 2, output: expect.stringContaining("npm run bench") });
});
