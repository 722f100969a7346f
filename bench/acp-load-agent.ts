import { writeFileSync, writeSync } from "node:fs";
import { nowUs, percentile, type Load, type RoundTrips } from "./load.ts";
import { chunk, LINE_BYTES, MarkedLines, toolLine } from "./marked-lines.ts";
import { SESSION } from "./traffic.ts";

/**
 * A minimal ACP agent: it answers the handshake, and plays the load in the text of a prompt. Lines are created once,
 * and only their numbers are rewritten.
 */
function writeAll(bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at, bytes.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function flood(line: Buffer, count: number, perWrite: number): void {
  const lines = new MarkedLines(line, perWrite, writeAll);
  for (let at = 0; at < count; at += perWrite) lines.write(at, Math.min(perWrite, count - at));
}

async function pace(count: number, perSecond: number): Promise<void> {
  const lines = new MarkedLines(chunk, 1, writeAll);
  const startedAt = performance.now();
  let written = 0;
  while (written < count) {
    const due = Math.min(count, ((performance.now() - startedAt) * perSecond) / 1_000);
    while (written < due) lines.write(written++, 1);
    const nextMs = startedAt + (written * 1_000) / perSecond - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.floor(nextMs))));
  }
}

const answered = new Map<number, () => void>();
let asked = 1_000_000;

function ask(): Promise<void> {
  const id = ++asked;
  const { promise, resolve } = Promise.withResolvers<void>();
  answered.set(id, resolve);
  const params = {
    sessionId: SESSION,
    toolCall: { toolCallId: `t-${id}`, title: "npm test", kind: "execute", status: "pending" },
    options: [{ optionId: "allow", name: "Allow", kind: "allow_once" }],
  };
  writeAll(
    Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/request_permission", params })}\n`,
    ),
  );
  return promise;
}

async function askAll(count: number, window: number, report: string): Promise<void> {
  const times: number[] = [];
  let left = count;
  const startedAt = nowUs();
  const keepAsking = async () => {
    while (left > 0) {
      left--;
      const sentAt = nowUs();
      await ask();
      times.push(nowUs() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: window }, keepAsking));
  const wallMs = (nowUs() - startedAt) / 1_000;
  times.sort((a, b) => a - b);
  const trips: RoundTrips = {
    p50Us: percentile(times, 0.5),
    p99Us: percentile(times, 0.99),
    wallMs,
  };
  writeFileSync(report, JSON.stringify(trips));
  new MarkedLines(chunk, 1, writeAll).write(0, 1);
}

async function play(load: Load): Promise<void> {
  switch (load.kind) {
    case "burst":
      return flood(chunk, load.count, Math.max(1, Math.floor(load.blockBytes / LINE_BYTES)));
    case "tool-flood":
      return flood(toolLine(load.bytesEach), load.count, 1);
    case "paced":
      return pace(load.count, load.perSecond);
    case "asks":
      return askAll(load.count, load.window, load.report);
  }
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

async function resultOf({ method, params }: Message): Promise<object> {
  if (method === "initialize")
    return {
      protocolVersion: 1,
      agentCapabilities: {},
      agentInfo: { name: "load", version: "1" },
    };
  if (method === "session/new") return { sessionId: SESSION };
  if (method === "session/prompt") {
    await play(JSON.parse(params?.prompt?.at(-1)?.text ?? "") as Load);
    return { stopReason: "end_turn" };
  }
  return {};
}

async function answer(message: Message): Promise<void> {
  const { id } = message;
  if (message.method === undefined) {
    answered.get(Number(id))?.();
    answered.delete(Number(id));
    return;
  }
  const result = await resultOf(message);
  if (id !== undefined)
    writeAll(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`));
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (arrived: string) => {
  const lines = (rest + arrived).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(JSON.parse(line) as Message);
});
process.stdin.on("end", () => process.exit(0));
