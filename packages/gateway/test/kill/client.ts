import * as fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  transports,
  post,
  type TransportName,
  type Frame,
  type Line,
  type Place,
  type Sink,
} from "./transports.ts";
import { Random } from "./random.ts";

/**
 * A client that can be killed at any moment: received events are in its file, and it resumes after the last line. It
 * answers requests, and prompts until it is stopped, each prompt with a unique id and repeated until it is
 * acknowledged.
 */
export interface ClientOptions extends Place {
  readonly name: string;
  readonly transport: TransportName;
  readonly folder: string;
  readonly seed: number;
  /** The cursor for an empty file. */
  readonly after: number;
}

const RETRY_MS = 40;
/** A prompt that has not started by then is queued, or waits for a person. */
const NEXT_PROMPT_MS = 1_500;

class Client implements Sink {
  readonly #options: ClientOptions;
  readonly #random: Random;
  readonly #file: number;
  readonly #open = new Set<string>();
  readonly #started = new Set<string>();
  #cursor: number;
  #line: Line | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    const seen = wholeLines(this.#path("seen"));
    this.#file = fs.openSync(this.#path("seen"), "a");
    this.#cursor = seen.length === 0 ? options.after : numberOf(seen.at(-1) ?? "");
    for (const line of seen) this.#note(line);
  }

  get cursor(): number {
    return this.#cursor;
  }

  take(frames: readonly Frame[]): void {
    const last = frames.at(-1);
    if (!last) return;
    fs.writeSync(this.#file, frames.map(({ text }) => `${text}\n`).join(""));
    this.#cursor = last.seq;
    for (const { text } of frames) this.#note(text);
  }

  fault(what: string): void {
    fs.appendFileSync(this.#path("faults"), `${what}\n`);
  }

  async follow(): Promise<never> {
    for (;;) {
      this.#line = transports[this.#options.transport](this.#options, this);
      await this.#line.ended;
      this.#line = null;
      await delay(RETRY_MS);
    }
  }

  async prompt(): Promise<void> {
    const acknowledged = wholeLines(this.#path("acknowledged"));
    const file = fs.openSync(this.#path("acknowledged"), "a");
    for (let count = acknowledged.length; !this.#isStopped; count++) {
      const promptId = `${this.#options.name}-${count}`;
      const kinds = ["stream", "ask", "terminal", "orphan"];
      const text = `${kinds[count % kinds.length]} for ${promptId}`;
      while (!(await this.#sent(promptId, text))) await delay(RETRY_MS);
      fs.writeSync(file, `${promptId}\n`);
      const deadline = performance.now() + NEXT_PROMPT_MS;
      while (!this.#started.has(promptId) && performance.now() < deadline) await delay(RETRY_MS);
    }
    fs.writeFileSync(this.#path("quiet"), "");
  }

  get #isStopped(): boolean {
    return fs.existsSync(`${this.#options.folder}/stop`);
  }

  /** Whether it was acknowledged. */
  async #sent(promptId: string, text: string): Promise<boolean> {
    if (this.#options.transport !== "landline")
      return (await post(this.#options, "prompts", { promptId, content: text })) === 202;
    const { sessionId } = this.#options;
    const content = [{ type: "text", text }];
    try {
      const reply = await this.#line?.ask?.("prompt", { sessionId, promptId, content });
      return reply !== undefined && reply["error"] === undefined;
    } catch {
      return false;
    }
  }

  #note(line: string): void {
    const kind = /^\{"seq":\d+,"at":\d+,"kind":"([a-z-]+)"/.exec(line)?.[1];
    if (kind === "turn-started")
      this.#started.add((JSON.parse(line) as { promptId: string }).promptId);
    if (kind !== "ask-opened" && kind !== "ask-settled") return;
    const { askId } = JSON.parse(line) as { askId: string };
    if (kind === "ask-settled") this.#open.delete(askId);
    else {
      this.#open.add(askId);
      void this.#answer(askId);
    }
  }

  async #answer(askId: string): Promise<void> {
    const optionId = this.#random.one(["allow", "reject"]);
    await delay(this.#random.below(400));
    while (this.#open.has(askId)) {
      if ((await post(this.#options, `asks/${askId}`, { optionId })) !== null) return;
      await delay(RETRY_MS);
    }
  }

  #path(name: string): string {
    return `${this.#options.folder}/${this.#options.name}.${name}`;
  }
}

/** Complete lines; a line that a kill cut is removed. */
function wholeLines(file: string): string[] {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) fs.writeFileSync(file, whole);
  return whole.split("\n").slice(0, -1);
}

function numberOf(line: string): number {
  return (JSON.parse(line) as { seq: number }).seq;
}

const client = new Client(JSON.parse(process.argv[2] ?? "") as ClientOptions);
void client.prompt();
await client.follow();
