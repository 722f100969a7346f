import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { nowUs, percentile } from "./load.ts";
import { MarkReader } from "./mark-reader.ts";
import type { ViewerJob, ViewerPlan, ViewerReport } from "./viewer-plan.ts";

/**
 * All viewers of a run in one process, at minimal cost. Standard input: the job as a line of JSON, then "go" for each
 * phase, and "resume" for viewers that stopped reading. Standard output: a line when all are attached, and a report
 * after each phase and after the resume. A phase ends when everything has arrived, or when nothing has arrived for a
 * while.
 */
const SILENCE_MS = 3_000;
const SAMPLES_MAX = 5_000;
/** The maximum length of a permission request that spans two reads. */
const ASK_LENGTH = 1_000;

class Latencies {
  #took = new Float64Array(4_096);
  #count = 0;
  samples: [number, number][] = [];

  readonly add = (writtenUs: number, tookUs: number): void => {
    if (this.#count === this.#took.length) {
      const longer = new Float64Array(this.#took.length * 2);
      longer.set(this.#took);
      this.#took = longer;
    }
    this.#took[this.#count++] = tookUs;
    if (this.samples.length < SAMPLES_MAX) this.samples.push([writtenUs, tookUs]);
  };

  clear(): void {
    this.#count = 0;
    this.samples = [];
  }

  /** Without the first tenth, which is warm-up. */
  summary(): Pick<ViewerReport, "p50Us" | "p99Us" | "samples"> {
    const sorted = this.#took.subarray(Math.floor(this.#count / 10), this.#count).sort();
    return {
      p50Us: percentile(sorted, 0.5),
      p99Us: percentile(sorted, 0.99),
      samples: this.#count > SAMPLES_MAX ? [] : this.samples,
    };
  }
}

const latencies = new Latencies();

interface Channel {
  readonly input: Readable;
  readonly output: Writable;
  end(): void;
}

function socketChannel(port: number): Channel {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", fail);
  return { input: socket, output: socket, end: () => socket.destroy() };
}

function programChannel([program = "", ...args]: readonly string[]): Channel {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.on("error", fail);
  return { input: child.stdout, output: child.stdin, end: () => child.stdin.end() };
}

function sendsLines({ transport }: ViewerPlan): boolean {
  return transport === "tcp" || transport === "stdio";
}

class Viewer {
  readonly marks: MarkReader;
  readonly attached = Promise.withResolvers<void>();
  readonly #plan: ViewerPlan;
  readonly #channel: Channel;
  readonly #asks: RegExp | null;
  #isOpen: boolean;
  #isAttached = false;
  #phase = 0;
  #text = "";

  constructor(plan: ViewerPlan, timed: boolean) {
    this.#plan = plan;
    this.marks = new MarkReader(timed ? latencies.add : null);
    this.#asks = plan.asks ? new RegExp(plan.asks.find, "g") : null;
    this.#isOpen = sendsLines(plan);
    this.#channel = plan.command ? programChannel(plan.command) : socketChannel(plan.port);
    this.#channel.input.on("data", (chunk: Buffer) => this.#receive(chunk));
    if (this.#isOpen) for (const message of plan.hello) this.#say(message);
    else this.#channel.output.write(this.#head());
  }

  start(): void {
    this.marks.startPhase();
    const message = this.#plan.phases[this.#phase++];
    if (message) this.#say(message);
  }

  stall(): void {
    this.#channel.input.pause();
  }

  resume(): void {
    this.#channel.input.resume();
  }

  end(): void {
    this.#channel.end();
  }

  #receive(chunk: Buffer): void {
    if (!this.#isAttached) this.#attach(chunk);
    else if (this.#asks) this.#answer(chunk, this.#asks);
    this.marks.read(chunk);
  }

  #attach(chunk: Buffer): void {
    this.#text += chunk.toString("latin1");
    if (!this.#isOpen && this.#text.includes("\r\n\r\n")) {
      if (!/^HTTP\/1\.1 (101|200)/.test(this.#text)) fail(new Error(this.#text));
      this.#isOpen = true;
      for (const message of this.#plan.hello) this.#say(message);
    }
    if (!this.#isOpen || !this.#text.includes(this.#plan.ready)) return;
    this.#isAttached = true;
    this.#text = "";
    this.attached.resolve();
  }

  #answer(chunk: Buffer, asks: RegExp): void {
    this.#text += chunk.toString("latin1");
    let end = 0;
    for (const found of this.#text.matchAll(asks)) {
      this.#say((this.#plan.asks?.answer ?? "").replaceAll("$1", found[1] ?? ""));
      end = found.index + found[0].length;
    }
    this.#text = this.#text.slice(Math.max(end, this.#text.length - ASK_LENGTH));
  }

  #head(): string {
    const { transport, port, path, headers } = this.#plan;
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    ];
    return [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      ...(transport === "ws" ? upgrade : ["Accept: text/event-stream"]),
      ...headers,
      "\r\n",
    ].join("\r\n");
  }

  #say(message: string): void {
    this.#channel.output.write(sendsLines(this.#plan) ? `${message}\n` : frame(message));
  }
}

/** A client's frames must be masked; a mask of zeros does not change them. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header =
    payload.length < 126
      ? [0x81, 0x80 | payload.length]
      : [0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), payload]);
}

function fail(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function watch(viewers: readonly Viewer[], expected: number): Promise<ViewerReport> {
  const fromUs = nowUs();
  const lastUs = () => Math.max(fromUs, ...viewers.map(({ marks }) => marks.lastAtUs));
  const isDone = () => viewers.every(({ marks }) => marks.delivered >= expected);
  let before = -1;
  let quietSince = performance.now();
  while (!isDone()) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const delivered = viewers.reduce((sum, { marks }) => sum + marks.delivered, 0);
    if (delivered !== before) quietSince = performance.now();
    else if (delivered > 0 && performance.now() - quietSince > SILENCE_MS) break;
    before = delivered;
  }
  return {
    wallMs: (lastUs() - fromUs) / 1_000,
    delivered: viewers.reduce((sum, { marks }) => sum + marks.delivered, 0),
    gaps: viewers.reduce((sum, { marks }) => sum + marks.gaps, 0),
    fromUs,
    toUs: lastUs(),
    ...latencies.summary(),
  };
}

const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
const job = JSON.parse(String((await lines.next()).value)) as ViewerJob;
const viewers = job.viewers.map((plan) => new Viewer(plan, job.timed));
await Promise.all(viewers.map(({ attached }) => attached.promise));
const live = viewers.slice(0, viewers.length - job.stalled);
const stalled = viewers.slice(live.length);
tell({ attached: true });

let phase = 0;
for await (const word of lines) {
  latencies.clear();
  if (word === "go") {
    if (phase === job.expected.length - 1) for (const viewer of stalled) viewer.stall();
    for (const viewer of viewers) viewer.start();
    tell(await watch(live, job.expected[phase++] ?? 0));
  } else {
    for (const viewer of stalled) viewer.resume();
    tell(await watch(stalled, job.expected[phase - 1] ?? 0));
  }
}
for (const viewer of viewers) viewer.end();
