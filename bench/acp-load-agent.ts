import { writeSync } from "node:fs";
import { SESSION, trafficLine } from "./traffic.ts";

/**
 * The cheapest ACP agent there can be: it answers the handshake, and a prompt with everything that was
 * made before. Arguments: COUNT plain|mixed BLOCK_BYTES (1: a write a line).
 */
const [count = "0", traffic = "plain", block = "60000"] = process.argv.slice(2);
const bytes = Buffer.from(
  Array.from(
    { length: Number(count) },
    (_, index) => `${trafficLine(index, traffic === "mixed")}\n`,
  ).join(""),
);

function writeAll(from: number, to: number): void {
  let at = from;
  while (at < to) {
    try {
      at += writeSync(1, bytes, at, to - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function flood(): void {
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(10, Math.min(at + Number(block), bytes.length) - 1);
    const end = feed === -1 ? bytes.length : feed + 1;
    writeAll(at, end);
    at = end;
  }
}

const results: Record<string, (params: unknown) => object> = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {},
    agentInfo: { name: "load", version: "1" },
  }),
  "session/new": () => ({ sessionId: SESSION }),
  "session/prompt": () => {
    flood();
    return { stopReason: "end_turn" };
  },
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line) as {
      id?: number;
      method: string;
      params: unknown;
    };
    const result = results[method]?.(params);
    if (id !== undefined)
      writeSync(1, `${JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} })}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
