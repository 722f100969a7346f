import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped } from "../../packages/sandbox/test/skipped.ts";
import { writeBundle } from "./bundle.ts";

const root = path.join(import.meta.dirname, "../..");
const agent = [
  process.execPath,
  "--conditions=@landline/source",
  path.join(root, "packages/testing/src/scripted-agent/main.ts"),
  "--scenario",
  path.join(root, "packages/testing/scenarios/hello.json"),
];

/** Outside the tree, so that the bundle can't load packages from it. */
let folder: string;
let bundle: string;

beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bundle-"));
  bundle = path.join(folder, "bundle");
  await writeBundle(bundle);
});
afterAll(() => fs.rm(folder, { recursive: true, force: true }));

const environment = () => ({
  PATH: process.env["PATH"],
  HOME: folder,
  LANDLINE_DATA: path.join(folder, "data"),
});

const scriptsIn = async () => (await fs.readdir(bundle)).filter((name) => name.endsWith(".js"));

describe("the bundle", () => {
  test("runs a turn with an agent", () => {
    const flag = `scripted=${agent.map((word) => JSON.stringify(word)).join(" ")}`;
    const ran = spawnSync(
      process.execPath,
      [path.join(bundle, "landline.js"), "run", "--agent", flag, "hello"],
      { cwd: folder, env: environment(), encoding: "utf8" },
    );
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringMatching(/hello/i) });
  });

  test("runs a turn with the built-in agent, which it starts from the bundle", () => {
    const ran = spawnSync(
      process.execPath,
      [path.join(bundle, "landline.js"), "run", "--yes", "create a.txt: apples then search apples"],
      { cwd: folder, env: environment(), encoding: "utf8" },
    );
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining("a.txt") });
    expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("apples\n");
    const doctor = spawnSync(
      process.execPath,
      [path.join(bundle, "landline.js"), "agent", "doctor"],
      { cwd: folder, env: environment(), encoding: "utf8" },
    );
    expect(doctor).toMatchObject({ status: 0, stdout: expect.stringContaining("✓ model: Demo") });
  });

  test("answers on every transport, and loads the modules of each", async () => {
    const args = ["serve", "--json", "--port=0", "--log-level=info"];
    const child = spawn(process.execPath, [path.join(bundle, "landline.js"), ...args], {
      cwd: folder,
      env: environment(),
    });
    const ended = once(child, "exit");
    let log = "";
    child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url, port, token } = JSON.parse(line.toString()) as Record<string, string>;
    const headers = { authorization: `Bearer ${token}` };
    for (const address of ["/", "/api/health", "/api/openapi.json", "/api/agents", "/metrics"])
      expect(await fetch(url + address, { headers })).toMatchObject({ status: 200 });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["landline.v1", `token.${token}`]);
    await once(socket, "open");
    socket.close();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(log).toContain('"path":"/api/health"');
  });

  test("has no dependencies", async () => {
    // Optional dependencies of `ws`.
    const optional = ["bufferutil", "utf-8-validate"];
    // In code that `ajv` generates for standalone schemas, which the bundle does not use.
    const written = ["ajv-formats/dist/formats", "ajv/dist/runtime/validation_error"];
    // Lua modules, in settings that `landline acp --print-config` prints.
    const lua = ["avante", "codecompanion", "codecompanion.adapters"];
    const texts = await Promise.all(
      (await scriptsIn()).map((name) => fs.readFile(path.join(bundle, name), "utf8")),
    );
    const wanted = texts.flatMap((text) =>
      [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name),
    );
    const others = wanted.filter(
      (name) => !/^(?:\.|node:)/.test(name) && !builtinModules.includes(name),
    );
    expect([...new Set(others)].sort()).toEqual([...written, ...optional, ...lua].sort());
  });

  test("contains the licences of its packages", async () => {
    const text = await fs.readFile(path.join(bundle, "LICENSES.txt"), "utf8");
    for (const name of ["commander", "hono", "pino", "prom-client", "ws", "zod"])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([\\w.-]+\\)$`, "m"));
    expect(text).not.toContain("undefined");
  });

  test("has source maps that refer to the sources", async () => {
    for (const name of await scriptsIn()) {
      const map = path.join(bundle, `${name}.map`);
      if (!existsSync(map)) continue;
      const { sources } = JSON.parse(await fs.readFile(map, "utf8")) as { sources: string[] };
      const missing = sources.filter((source) => !existsSync(path.resolve(bundle, source)));
      expect(missing.filter((source) => !source.includes("rolldown"))).toEqual([]);
    }
  });
});

describe("paths relative to a source file", () => {
  const sources = {
    "packages/one/src/start.ts": `
      import { readFileSync } from "node:fs";
      import { Worker } from "node:worker_threads";
      console.log(readFileSync(new URL("../facts.txt", import.meta.url), "utf8"));
      const worker: Worker = new Worker(
        new URL(
          "./deep/worker.ts",
          import.meta.url,
        ),
      );
      worker.on("message", (said: string) => console.log(said));
      worker.on("exit", () => void import("./late.ts"));`,
    "packages/one/src/deep/worker.ts": `
      import { parentPort } from "node:worker_threads";
      const words: string = "a worker";
      parentPort?.postMessage(words);`,
    "packages/one/src/late.ts": `console.log(new Error("late").stack as string);`,
    "packages/one/facts.txt": "a file",
  };
  const inTree = (name: string) => path.join(folder, "tree", name);

  async function bundled(files: Record<string, string>): Promise<string> {
    for (const [name, text] of Object.entries(files)) {
      await fs.mkdir(path.dirname(inTree(name)), { recursive: true });
      await fs.writeFile(inTree(name), text);
    }
    const into = path.join(folder, "out", "deeper");
    const entries = { start: inTree("packages/one/src/start.ts") };
    await writeBundle(into, { packages: inTree("packages"), entries });
    return path.join(into, "start.js");
  }

  test("resolve in the bundle, and stack traces show the original lines", async () => {
    const script = await bundled(sources);
    const { stdout } = spawnSync(process.execPath, ["--enable-source-maps", script], {
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^a file\na worker\nError: late\n/);
    expect(stdout).toContain("tree/packages/one/src/late.ts:1:");
  });

  test("in packages are copied with their licences", async () => {
    const script = await bundled({
      "node_modules/facts/package.json": `{"name":"facts","version":"1.2.3","license":"MIT"}`,
      "node_modules/facts/LICENSE": "Do as you like.",
      "node_modules/facts/deep/facts.bin": "packaged",
      "packages/one/src/start.ts": `
        import { readFileSync } from "node:fs";
        import { fileURLToPath } from "node:url";
        const place: string = import.meta.resolve(
          "facts/deep/facts.bin",
        );
        console.log(readFileSync(fileURLToPath(place), "utf8"));`,
    });
    await fs.rm(inTree("node_modules"), { recursive: true });
    const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(stdout).toBe("packaged\n");
    const licences = await fs.readFile(path.join(path.dirname(script), "LICENSES.txt"), "utf8");
    expect(licences).toContain("facts 1.2.3 (MIT)\n\nDo as you like.");
  });

  test("of grammars resolve: shell lines are parsed", async () => {
    const module = path.join(root, "packages/shell/src/index.ts");
    const entry = path.join(folder, "judge.ts");
    await fs.writeFile(
      entry,
      `import { openJudge } from ${JSON.stringify(module)};
       void openJudge().then(async ({ judge }) => {
         const place = { cwd: "/", roots: ["/"] };
         const verdicts = [await judge("ls | wc", place), await judge("npm test", place)];
         console.log(JSON.stringify(verdicts));
       });`,
    );
    const into = path.join(folder, "judge");
    await writeBundle(into, { packages: path.join(root, "packages"), entries: { judge: entry } });
    const { stdout } = spawnSync(process.execPath, [path.join(into, "judge.js")], {
      encoding: "utf8",
    });
    expect(JSON.parse(stdout)).toMatchObject([
      { facts: { commands: [{ text: "ls" }, { text: "wc" }] }, reasons: [] },
      { facts: { commands: [{ text: "npm test" }] }, reasons: [{ code: "project" }] },
    ]);
  });

  test.skipIf(isSkipped)("of the sandbox resolve: a confined program has its network", async () => {
    const module = path.join(root, "packages/sandbox/src/index.ts");
    const entry = path.join(folder, "confine.ts");
    const [home, data] = [path.join(folder, "home"), path.join(folder, "sandbox")];
    const call = { file: "/bin/sh", args: ["-c", "echo $HTTP_PROXY"], cwd: "/" };
    const policy = { write: [], caches: [], read: [], network: ["example.com"] };
    await fs.writeFile(
      entry,
      `import { execFileSync } from "node:child_process";
       import { findSandbox } from ${JSON.stringify(module)};
       void findSandbox(${JSON.stringify({ home, data })}).then(async ({ sandbox }) => {
         const call = await sandbox.confine(${JSON.stringify(call)}, ${JSON.stringify(policy)});
         process.stdout.write(execFileSync(call.file, call.args));
         await call.close();
       });`,
    );
    const into = path.join(folder, "confine");
    await writeBundle(into, { packages: path.join(root, "packages"), entries: { confine: entry } });
    const ran = spawnSync(process.execPath, [path.join(into, "confine.js")], { encoding: "utf8" });
    await fs.chmod(path.join(data, "unreadable-folder"), 0o700);
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringMatching(/^http:.*:\d+\n$/) });
  });

  test("fail the build if they could not be resolved", async () => {
    const start = `console.log(import.meta.dirname);`;
    const refused = bundled({ ...sources, "packages/one/src/start.ts": start });
    await expect(refused).rejects.toThrow(/start\.ts: use new URL/);
  });
});
