import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { record } from "./golden.ts";
import { scriptedAgentCommand, shippedScenario } from "./scripted-agent/command.ts";

/** The prompts for each scenario, without the scenarios that must be killed. */
export const goldenPrompts: Readonly<Record<string, readonly string[]>> = {
  hello: ["good morning"],
  tour: ["show me everything"],
  subagent: ["one", "two"],
  noise: ["go"],
  "wrong-order": ["go"],
  crash: ["go"],
  "like-claude": ["hello", "write"],
  "like-codex": ["hello", "write"],
  "like-copilot": ["hello", "write"],
  "like-gemini": ["hello", "write"],
  "like-goose": ["hello", "write"],
  "like-opencode": ["hello", "write", "task"],
  "like-qwen": ["hello", "write", "plan"],
};

/** Text that a scenario sends after the last answer; the client waits for it. */
const lastWords: Readonly<Record<string, string>> = { "wrong-order": ", much later" };

export function goldenPath(scenario: string): string {
  return fileURLToPath(new URL(`../golden/${scenario}.ndjson`, import.meta.url));
}

/** Plays a scenario with a client that allows everything, and records the messages. */
export async function recordScenario(scenario: string, path: string): Promise<void> {
  const prompts = goldenPrompts[scenario];
  if (prompts === undefined)
    throw new Error(`No such scenario: ${scenario}. Known scenarios: ${names().join(", ")}.`);
  const { command, args } = scriptedAgentCommand(shippedScenario(scenario));
  const agent = spawn(command, args);
  const exited = once(agent, "exit");
  const client = { output: new PassThrough(), input: new PassThrough() };
  const meta = { scenario, prompts };
  // Omit times, which differ in every recording. A golden file only needs the order.
  const recorded = record({ path, client, agent, meta, scrub: createScrub(), clock: () => 0 });
  const talked = new WillingClient(client).talk(prompts, lastWords[scenario]);
  await Promise.all([recorded, talked, exited]);
}

function names(): string[] {
  return Object.keys(goldenPrompts);
}

type JsonObject = Readonly<Record<string, unknown>>;

class WillingClient {
  readonly #output: PassThrough;
  readonly #lines: AsyncIterator<string>;
  #lastId = 0;

  constructor({ input, output }: { readonly input: PassThrough; readonly output: PassThrough }) {
    this.#output = output;
    this.#lines = createInterface({ input })[Symbol.asyncIterator]();
  }

  async talk(prompts: readonly string[], until: string | undefined): Promise<void> {
    await this.#call("initialize", { protocolVersion: 1, clientCapabilities });
    const opened = await this.#call("session/new", { cwd: "/repo", mcpServers: [] });
    const { sessionId } = (opened?.["result"] ?? {}) as { sessionId?: string };
    for (const text of prompts)
      await this.#call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    if (until !== undefined) await this.#read((_message, line) => line.includes(until));
    this.#output.end();
    await this.#read(() => false);
  }

  #call(method: string, params: JsonObject): Promise<JsonObject | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#send({ id, method, params });
    return this.#read((message) => message["method"] === undefined && message["id"] === id);
  }

  /** Answers requests until the first matching message; undefined if the agent has exited. */
  async #read(
    fits: (message: JsonObject, line: string) => boolean,
  ): Promise<JsonObject | undefined> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) return undefined;
      const message = parse(next.value);
      if (typeof message["method"] === "string" && message["id"] !== undefined)
        this.#send({ id: message["id"], ...answer(message) });
      if (fits(message, next.value)) return message;
    }
  }

  #send(message: JsonObject): void {
    if (this.#output.writable)
      this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

const results: JsonObject = {
  "fs/read_text_file": { content: "And the bread.\n" },
  "fs/write_text_file": {},
  "terminal/create": { terminalId: "terminal-1" },
  "terminal/output": { output: "all tests passed\n", truncated: false },
  "terminal/wait_for_exit": { exitCode: 0, signal: null },
  "terminal/kill": {},
  "terminal/release": {},
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
};

function answer({ method, params }: JsonObject): JsonObject {
  if (method === "session/request_permission") {
    const { options = [] } = params as { options?: { kind?: string; optionId: string }[] };
    const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
    const outcome =
      optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
    return { result: { outcome } };
  }
  const result = results[String(method)];
  return result === undefined
    ? { error: { code: -32601, message: "Method not found" } }
    : { result };
}

function parse(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/**
 * Ids and times differ in every recording: numbers ids in order of appearance and fixes times. Removes the padding of
 * large messages.
 */
function createScrub(): (line: string) => string {
  const known = new Map<string, string>();
  const numbered = (id: string) => {
    const stand =
      known.get(id) ?? `00000000-0000-4000-8000-${String(known.size + 1).padStart(12, "0")}`;
    known.set(id, stand);
    return stand;
  };
  return (line) =>
    line
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, numbered)
      .replaceAll(/x{1000,}/g, "x")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-01-01T00:00:00.000Z");
}
