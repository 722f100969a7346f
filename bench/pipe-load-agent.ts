import { writeSync } from "node:fs";
import { SESSION, trafficLine } from "./traffic.ts";

/**
 * A minimal agent without ACP: it creates all output first, then only writes. Arguments: lines COUNT plain|mixed
 * BLOCK_BYTES, or one-line BYTES. Prints a line feed when it is ready, and starts when it receives a byte.
 */
const [kind, amount = "0", traffic = "plain", block = "60000"] = process.argv.slice(2);

function content(): Buffer {
  if (kind === "one-line") {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "x".repeat(Number(amount)) },
    };
    return Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: SESSION, update } })}\n`,
    );
  }
  const lines = Array.from(
    { length: Number(amount) },
    (_, index) => `${trafficLine(index, traffic === "mixed")}\n`,
  );
  return Buffer.from(lines.join(""));
}

/** Where the writes end: at complete lines; with a block of 1 byte at every line, as agents write. */
function writeEnds(bytes: Buffer, blockBytes: number): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(10, Math.min(at + blockBytes, bytes.length) - 1);
    at =
      kind === "one-line"
        ? Math.min(at + blockBytes, bytes.length)
        : feed === -1
          ? bytes.length
          : feed + 1;
    ends.push(at);
  }
  return ends;
}

function writeAll(bytes: Buffer, from: number, to: number): void {
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

const bytes = content();
const ends = writeEnds(bytes, Number(block));
process.stdin.once("data", () => {
  let at = 0;
  for (const end of ends) {
    writeAll(bytes, at, end);
    at = end;
  }
  process.exit(0);
});
process.stdout.write("\n");
