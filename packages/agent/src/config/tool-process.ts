import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Readable } from "node:stream";
import { type Program, startProgram } from "@landline/system/start-program";
import { errorMessage } from "@landline/system/error-message";
import { customToolLimits } from "../limits.ts";
import { inheritedEnvironment } from "../workspace/command-environment.ts";

/** Characters kept of the output of a tool: its end. */
const printedCharacters = 16_384;

export interface ToolDescription {
  description: string;
  /** JSON schema. */
  input: Record<string, unknown>;
}

export type ToolOutcome =
  | { ok: true; output: string; title?: string }
  | { ok: false; reason: "tool-timeout" | "tool-failed"; message: string };

export interface ToolProcessOptions {
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Called with the end of the tool's output while it runs. */
  onPrinted?: (text: string) => void;
  limits?: ToolLimits;
}

export interface ToolLimits {
  readonly describeMs: number;
  readonly callMs: number;
  readonly resultBytes: number;
}

/** Runs the file, so call it only for trusted files. Throws with the reason when there is no description. */
export async function describeTool(
  path: string,
  options: ToolProcessOptions,
): Promise<ToolDescription> {
  const { describeMs } = options.limits ?? customToolLimits;
  const outcome = await start(["--describe", path], "", describeMs, options);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.answer as ToolDescription;
}

/** Runs one call in its own process. Throws when `signal` is aborted. */
export async function runTool(
  path: string,
  input: unknown,
  options: ToolProcessOptions,
): Promise<ToolOutcome> {
  const line = JSON.stringify({ input, cwd: options.cwd });
  const { callMs } = options.limits ?? customToolLimits;
  const outcome = await start(["--run", path], line, callMs, options);
  options.signal?.throwIfAborted();
  return outcome.ok
    ? { ok: true, ...(outcome.answer as { output: string; title?: string }) }
    : outcome;
}

type Outcome = { ok: true; answer: unknown } | Extract<ToolOutcome, { ok: false }>;

/**
 * The answer comes on file descriptor 3, because a tool may print to stdout. The runner ends when its stdin
 * closes, so it does not outlive this process.
 */
async function start(
  words: readonly string[],
  line: string,
  limitMs: number,
  options: ToolProcessOptions,
): Promise<Outcome> {
  options.signal?.throwIfAborted();
  const env = { ...inheritedEnvironment(options.environment), NODE_OPTIONS: "" };
  const program = startProgram({
    call: { file: process.execPath, args: [runner, ...words], env },
    cwd: options.cwd,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    leftovers: "end",
  });
  const child = program.child as ChildProcessWithoutNullStreams;
  const printed = new OutputTail(options.onPrinted);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => printed.add(text));
  }
  const limit = AbortSignal.timeout(limitMs);
  const stopped = AbortSignal.any([limit, ...(options.signal ? [options.signal] : [])]);
  const ended = endOf(program);
  const { resultBytes } = options.limits ?? customToolLimits;
  const { endMs } = customToolLimits;
  const end = () => program.group?.end({ termMs: endMs, killMs: endMs });
  const onStop = (): void => void end();
  stopped.addEventListener("abort", onStop, { once: true });
  child.stdin.on("error", () => {});
  child.stdin.write(`${line}\n`);
  try {
    const [answer, exit] = await Promise.all([readAnswer(program, resultBytes), ended]);
    if (limit.aborted) {
      return {
        ok: false,
        reason: "tool-timeout",
        message: `it did not answer within ${limitMs / 1_000} s`,
      };
    }
    if (answer === null) return failed(`it answered more than ${resultBytes} bytes`);
    return readOutcome(answer, exit, printed.text);
  } finally {
    stopped.removeEventListener("abort", onStop);
    await end();
  }
}

const runner = fileURLToPath(new URL("./tool-runner.js", import.meta.url));

class OutputTail {
  text = "";
  readonly #listener: ((text: string) => void) | undefined;
  constructor(listener: ((text: string) => void) | undefined) {
    this.#listener = listener;
  }
  add(text: string): void {
    this.text = (this.text + text).slice(-printedCharacters);
    this.#listener?.(this.text);
  }
}

function endOf({ started, exited }: Program): Promise<string> {
  return started.then(async () => {
    const { code, signal } = await exited;
    return `code ${code ?? "none"}${signal ? `, ${signal}` : ""}`;
  }, errorMessage);
}

/**
 * Null when it is too long. Does not wait for the end of the pipe, which a child of the tool may hold open.
 */
async function readAnswer({ child, exited }: Program, bytesMax: number): Promise<string | null> {
  const stream = child.stdio[3] as Readable;
  const pieces: Buffer[] = [];
  let bytes = 0;
  void exited.then(() => setTimeout(() => stream.destroy(), 200).unref());
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) return null;
      pieces.push(piece);
    }
  } catch {
    // The pipe broke with its process; use what was received.
  }
  return Buffer.concat(pieces).toString("utf8");
}

function failed(message: string): Outcome {
  return { ok: false, reason: "tool-failed", message };
}

function readOutcome(answer: string, exit: string, printed: string): Outcome {
  const tail = printed.trim() === "" ? "" : `\nIt printed:\n${printed.trim()}`;
  try {
    const parsed = JSON.parse(answer) as { answer?: unknown; error?: unknown };
    if (typeof parsed.error === "string") return failed(parsed.error + tail);
    return { ok: true, answer: parsed.answer };
  } catch {
    return failed(`it ended without an answer (${exit}).${tail}`);
  }
}
