import { open, readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { limitsOf } from "@landline/protocol";
import { LineSplitter, type SplitLine } from "./golden-lines.ts";

const directions = ["in", "out", "stderr", "meta"] as const;

/**
 * One line of a golden transcript, as the client saw it: `out` is written to the agent, `in` is received. A line with a
 * JSON object or list is `msg`, any other is `line`.
 */
export interface TranscriptEntry {
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly dir: (typeof directions)[number];
  readonly msg?: unknown;
  readonly line?: string;
  /** The stream ended before the line did. */
  readonly cut?: true;
  /** The length of a line that was stored only in part. */
  readonly bytes?: number;
}

export interface RecordOptions {
  readonly path: string;
  /** The client's side: its output and its input. */
  readonly client: { readonly output: Readable; readonly input: Writable };
  /** The agent's side, for example a child process. Its stderr is only recorded. */
  readonly agent: {
    readonly stdin: Writable;
    readonly stdout: Readable;
    readonly stderr?: Readable;
  };
  /** A first entry of kind `meta` that describes the recording. */
  readonly meta?: unknown;
  /** Changes a line before it is stored: removes paths, keys and names. The forwarded bytes are unchanged. */
  readonly scrub?: (line: string) => string;
  readonly clock?: () => number;
  readonly lineBytesMax?: number;
}

/**
 * Forwards and records the bytes between a client and an agent. Bytes pass unchanged and in order. A chunk passes after
 * its lines are in the file, so that a response is never recorded before its request. At most one chunk per direction
 * waits for the disk. Resolves when the agent's output has ended and the file is complete. Rejects if a line cannot be
 * scrubbed or written.
 */
export async function record(options: RecordOptions): Promise<void> {
  const { client, agent } = options;
  await using transcript = await TranscriptFile.create(options);
  if (options.meta !== undefined) await transcript.write([{ dir: "meta", msg: options.meta }]);
  const over = new AbortController();
  const broken = (dir: string) => async (error: unknown) => {
    if (transcript.failure !== undefined || over.signal.aborted) return;
    await transcript.write([{ dir: "meta", msg: { broken: dir, error: String(error) } }]);
  };
  const { signal } = over;
  const out = pipeline(client.output, transcript.tap("out"), agent.stdin, { signal });
  const settled = out.catch(broken("out"));
  await Promise.allSettled([
    pipeline(agent.stdout, transcript.tap("in"), client.input).catch(broken("in")),
    agent.stderr && pipeline(agent.stderr, transcript.tap("stderr"), discard),
  ]);
  // The agent no longer reads the client's output.
  over.abort();
  await settled;
  if (transcript.failure !== undefined) throw transcript.failure;
}

type Draft = Omit<TranscriptEntry, "t">;

class TranscriptFile {
  readonly #file: Awaited<ReturnType<typeof open>>;
  readonly #options: RecordOptions;
  readonly #now: () => number;
  readonly #start: number;
  #last: Promise<unknown> = Promise.resolve();
  failure: Error | undefined;

  static async create(options: RecordOptions): Promise<TranscriptFile> {
    return new TranscriptFile(await open(options.path, "w"), options);
  }

  private constructor(file: Awaited<ReturnType<typeof open>>, options: RecordOptions) {
    this.#file = file;
    this.#options = options;
    this.#now = options.clock ?? (() => performance.now());
    this.#start = this.#now();
  }

  /** One write at a time, in the order of the calls. */
  write(entries: readonly Draft[]): Promise<unknown> {
    const t = Math.round((this.#now() - this.#start) * 10) / 10;
    const text = entries.map((entry) => `${JSON.stringify({ t, ...entry })}\n`).join("");
    this.#last = this.#last.then(() => this.#file.appendFile(text));
    this.#last.catch((error: Error) => (this.failure ??= error));
    return this.#last;
  }

  tap(dir: "in" | "out" | "stderr") {
    const { lineBytesMax = limitsOf("default").lineBytes } = this.#options;
    const splitter = new LineSplitter(lineBytesMax);
    const draft = (line: SplitLine) => this.#draft(dir, line);
    const write = (lines: Draft[]) => (lines.length > 0 ? this.write(lines) : undefined);
    return async function* pass(source: AsyncIterable<Buffer>) {
      try {
        for await (const chunk of source) {
          await write(Array.from(splitter.push(chunk), draft));
          yield chunk;
        }
      } finally {
        await write(Array.from(splitter.end(), draft));
      }
    };
  }

  #draft(dir: "in" | "out" | "stderr", { text, cut, oversized, bytes }: SplitLine): Draft {
    const line = this.#scrub(text);
    const facts = { ...(cut ? { cut } : {}), ...(oversized ? { bytes } : {}) };
    const msg = dir === "stderr" || cut || oversized ? undefined : parseMessage(line);
    return msg === undefined ? { dir, line, ...facts } : { dir, msg };
  }

  #scrub(text: string): string {
    try {
      return this.#options.scrub?.(text) ?? text;
    } catch (error) {
      this.failure ??= new Error(`A line can't be scrubbed: ${String(error)}`, { cause: error });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last.catch(() => {});
    await this.#file.close();
  }
}

function parseMessage(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function discard(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

/** Throws with the position of the first invalid line. Unknown fields are kept. */
export async function readTranscript(path: string): Promise<TranscriptEntry[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, at) => {
    const entry = parseMessage(line);
    const problem = entry === undefined ? "is not a JSON object" : problemOf(entry);
    if (problem !== undefined) throw new Error(`${path}:${at + 1}: ${problem}.`);
    return entry as TranscriptEntry;
  });
}

function problemOf(entry: Partial<Record<keyof TranscriptEntry, unknown>>): string | undefined {
  const { t, dir, msg, line } = entry;
  if (typeof t !== "number") return "t is not a number";
  if (!directions.some((one) => one === dir)) return `dir is not one of ${directions.join(", ")}`;
  if (dir === "meta") return undefined;
  if (dir === "stderr" ? typeof line !== "string" : (msg === undefined) === (line === undefined))
    return dir === "stderr"
      ? "an entry of stderr has a line"
      : "there is msg or line, and not both";
  return line !== undefined && typeof line !== "string" ? "line is not a text" : undefined;
}
