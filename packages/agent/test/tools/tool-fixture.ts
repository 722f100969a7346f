import { FileLocks } from "../../src/workspace/file-locks.ts";
import { openWorkspace, type OwnedWorkspace } from "../../src/workspace/open-workspace.ts";
import type { Client } from "../../src/acp/acp-client.ts";
import type { NewRecord, SeenFile } from "../../src/core/record.ts";
import { knownFile } from "../../src/core/seen-files.ts";
import type { PermissionRequest } from "../../src/permission/rule.ts";
import { createReadTool } from "../../src/tools/read.ts";
import type { Tool, ToolContext, ToolResult, ToolView } from "../../src/tools/tool.ts";
import { ToolFailure } from "../../src/tools/tool.ts";
import { FileProblem } from "../../src/workspace/workspace.ts";
import { info } from "../core/session-fixture.ts";
import { openScratch, type Scratch } from "../workspace/scratch-project.ts";

/** A project folder with real files and programs, and a user who allows everything by default. */
export interface ToolFixture extends AsyncDisposable {
  readonly scratch: Scratch;
  readonly workspace: OwnedWorkspace;
  readonly outputs: string;
  readonly context: ToolContext;
  readonly asked: PermissionRequest[];
  /** Without `file-seen`, which `seen` has. */
  readonly kept: NewRecord[];
  readonly seen: SeenFile[];
  readonly shown: Partial<ToolView>[];
  readonly abort: AbortController;
  /** Called for each request; throws to refuse. */
  onAsk: (request: PermissionRequest) => Promise<void> | void;
  /** The model reads files with the read tool. */
  read(...paths: string[]): Promise<void>;
  /** As the loop does it: validated by the tool's schema first. */
  run<Input>(tool: Tool<Input>, input: unknown): Promise<ToolResult>;
  /** The failure that the model would read. */
  failure<Input>(tool: Tool<Input>, input: unknown): Promise<{ reason: string; message: string }>;
}

export async function openToolFixture(
  options: { client?: (scratch: Scratch) => Client; directories?: string[] } = {},
): Promise<ToolFixture> {
  const scratch = await openScratch();
  const workspace = openWorkspace({
    client: options.client?.(scratch) ?? null,
    sessionId: "session",
    cwd: scratch.project,
    directories: options.directories ?? [],
  });
  const locks = new FileLocks();
  const asked: PermissionRequest[] = [];
  const kept: NewRecord[] = [];
  const seen: SeenFile[] = [];
  const shown: Partial<ToolView>[] = [];
  const abort = new AbortController();
  const context: ToolContext = {
    sessionId: "session",
    promptId: "prompt",
    level: "ask",
    callId: "call",
    signal: abort.signal,
    workspace,
    async ask(...requests) {
      asked.push(...requests);
      for (const request of requests) await fixture.onAsk(request);
    },
    choose: () => Promise.resolve(null),
    openings: () => ({ write: [], read: [], hosts: [] }),
    ranConfined: () => undefined,
    progress: (view) => void shown.push(view),
    append: (record) => void (record.kind === "file-seen" ? seen.push(record) : kept.push(record)),
    knownFile: (path) => knownFile(seen, path),
    withFile: (path, work) => locks.withFile(path, work, abort.signal),
  };
  const run: ToolFixture["run"] = async (tool, input) => tool.run(tool.input.parse(input), context);
  const fixture: ToolFixture = {
    scratch,
    workspace,
    outputs: `${scratch.outside}/outputs`,
    context,
    asked,
    kept,
    seen,
    shown,
    abort,
    onAsk: () => undefined,
    run,
    async read(...paths) {
      const rules = { nested: () => Promise.resolve([]), shown: () => new Set<string>() };
      const tool = createReadTool({ info, outputs: fixture.outputs, rules });
      // Permission requests of the read are not recorded.
      const quiet = { ...context, ask: () => Promise.resolve() };
      for (const filePath of paths) await tool.run({ filePath }, quiet);
    },
    async failure(tool, input) {
      try {
        await run(tool, input);
      } catch (error) {
        if (error instanceof ToolFailure || error instanceof FileProblem) return error;
        throw error;
      }
      throw new Error(`${tool.name} did not fail.`);
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
      await scratch[Symbol.asyncDispose]();
    },
  };
  return fixture;
}

export const noPrograms = { formatters: [], linters: [] };
