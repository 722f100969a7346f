import { execFile } from "node:child_process";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, it } from "vitest";

/**
 * The package needs neither Node nor a browser: each entry is bundled for a neutral platform, and run with the globals
 * of the language only.
 */
const packageFolder = join(import.meta.dirname, "..");
const run = promisify(execFile);

interface Bundle {
  readonly code: string;
  /** Paths from the package's folder. */
  readonly modules: readonly string[];
  readonly imports: readonly string[];
}

async function bundle(entry: string): Promise<Bundle> {
  const built = await build({
    configFile: false,
    root: packageFolder,
    logLevel: "silent",
    resolve: { conditions: ["@landline/source"] },
    build: {
      write: false,
      minify: false,
      target: "esnext",
      lib: { entry: join(packageFolder, entry), formats: ["iife"], name: "entry" },
      rolldownOptions: { platform: "neutral" },
    },
  });
  const [output] = (Array.isArray(built) ? built : [built]) as Rolldown.RolldownOutput[];
  const chunks = output?.output.filter((part) => part.type === "chunk") ?? [];
  return {
    code: chunks.map((chunk) => chunk.code).join("\n"),
    modules: chunks.flatMap((chunk) =>
      chunk.moduleIds
        .filter((module) => !module.startsWith("\0rolldown/"))
        .map((module) => relative(packageFolder, module)),
    ),
    imports: chunks.flatMap((chunk) => chunk.imports.concat(chunk.dynamicImports)),
  };
}

/** Runs the bundle in a context whose only globals are those of the language (V8 puts a console there). */
function evaluate(code: string, expression: string): unknown {
  const context = createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false },
  });
  const result: unknown = runInContext(
    `delete globalThis.console;\n${code}\n;JSON.stringify(${expression})`,
    context,
  );
  return JSON.parse(String(result));
}

const fromZod = (module: string) => /node_modules\/zod\//.test(module);
const fromSdk = (module: string) => /node_modules\/@agentclientprotocol\//.test(module);

describe("the root entry", () => {
  let root: Bundle;
  beforeAll(async () => {
    root = await bundle("src/index.ts");
  });

  it("imports nothing when it is bundled", () => {
    expect(root.imports).toEqual([]);
    expect(root.code).not.toMatch(/\b(?:require|import)\s*\(/);
  });

  it("contains only the package's own source: no Node, no zod, and only types of the SDK", () => {
    expect(root.modules.length).toBeGreaterThan(20);
    expect(root.modules.filter((module) => !module.startsWith("src/"))).toEqual([]);
  });

  it("uses only globals of the language", () => {
    const names = ["process", "Buffer", "window", "document", "setTimeout", "fetch", "console"];
    const types = names.map((name) => `typeof ${name}`).join(", ");
    expect(evaluate("", `[${types}]`)).toEqual(names.map(() => "undefined"));
  });

  it("works there: it folds and has limits", () => {
    const event = {
      seq: 1,
      at: 5,
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } },
    };
    const line = JSON.stringify(JSON.stringify(event));
    const [view, limits, error] = evaluate(
      root.code,
      `[
        entry.fold(entry.emptyView(), [entry.decodeLine(${line})]),
        entry.limitsOf("spec"),
        entry.toRpcError(new entry.LandlineError("session-not-found")),
      ]`,
    ) as unknown[];
    expect(view).toMatchObject({
      head: 1,
      items: [{ type: "message", content: [{ text: "Hi" }] }],
    });
    expect(limits).toMatchObject({ promptMs: 300_000 });
    expect(error).toMatchObject({ code: -32002, data: { code: -31900 } });
  });
});

describe("the entry for the seeds' spellings", () => {
  it("is pure too, and projects", async () => {
    const compat = await bundle("src/compat.ts");
    expect(compat.modules.filter((module) => !module.startsWith("src/"))).toEqual([]);
    const update = { sessionUpdate: "thought_chunk", content: { type: "text", text: "Hi" } };
    const event = JSON.stringify({ seq: 1, at: 5, kind: "update", update });
    const [bridge, codeopen] = evaluate(
      compat.code,
      `[entry.toBridge("s", ${event}), entry.toCodeopen("s", ${event})]`,
    ) as unknown[];
    expect(bridge).toMatchObject([{ seq: 1, sessionId: "s", timestamp: 5, content: "Hi" }]);
    expect(codeopen).toMatchObject([{ id: 1, event: "thought.part.updated" }]);
  });
});

describe("the entry for schemas", () => {
  let commands: Bundle;
  beforeAll(async () => {
    commands = await bundle("src/operations.ts");
  });

  it("contains zod and no other dependency", () => {
    expect(commands.imports).toEqual([]);
    expect(commands.modules.some(fromZod)).toBe(true);
    expect(commands.modules.filter(fromSdk)).toEqual([]);
    expect(
      commands.modules.filter((module) => !module.startsWith("src/") && !fromZod(module)),
    ).toEqual([]);
  });

  it("reads a command with the globals of the language only", () => {
    const command = { id: 1, type: "cancel", sessionId: "s" };
    expect(evaluate(commands.code, `entry.readCommand(${JSON.stringify(command)})`)).toEqual(
      command,
    );
  });
});

describe("the types", () => {
  it("need neither Node's nor the DOM's", async () => {
    const compiler = join(packageFolder, "../../node_modules/typescript/bin/tsc");
    const project = join(packageFolder, "tsconfig.pure.json");
    const { stdout } = await run(process.execPath, [compiler, "-p", project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
    // A compiler on a busy machine takes longer than the default timeout.
  }, 120_000);
});
