import { emptyMark, NUMBER_DIGITS, nowUs, TIME_DIGITS, writeDigits } from "./load.ts";
import { SESSION } from "./traffic.ts";

const CHUNKS_PER_MESSAGE = 300;
const MESSAGE_DIGITS = 7;
export const LINE_BYTES = 300;

const text =
  "a line of an answer that streams in as the model writes it, word by word, and so on; ";

function updateLine(update: object): Buffer {
  const params = { sessionId: SESSION, update };
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`);
}

function chunkLine(fill: string): Buffer {
  return updateLine({
    sessionUpdate: "agent_message_chunk",
    messageId: `m-${"0".repeat(MESSAGE_DIGITS)}`,
    content: { type: "text", text: emptyMark + fill },
  });
}

export function toolLine(bytes: number): Buffer {
  return updateLine({
    sessionUpdate: "tool_call_update",
    toolCallId: "t-1",
    title: emptyMark,
    status: "in_progress",
    content: [{ type: "content", content: { type: "text", text: "x".repeat(bytes) } }],
  });
}

const bare = chunkLine("").length;
export const chunk = chunkLine(text.repeat(10).slice(0, LINE_BYTES - bare));

/** Writes copies of one line: `places` of them in a buffer, each with its own number and time. */
export class MarkedLines {
  readonly #write: (bytes: Buffer) => void;
  readonly #bytes: Buffer;
  readonly #line: Buffer;
  readonly #markAt: number;
  readonly #messageAt: number;

  constructor(line: Buffer, places: number, write: (bytes: Buffer) => void) {
    this.#write = write;
    this.#line = line;
    this.#bytes = Buffer.concat(Array.from({ length: places }, () => line));
    this.#markAt = line.indexOf(emptyMark) + 1;
    this.#messageAt = line.indexOf('"messageId":"m-');
  }

  write(first: number, count: number): void {
    const time = nowUs();
    for (let place = 0; place < count; place++) {
      const at = place * this.#line.length;
      const index = first + place;
      writeDigits(this.#bytes, at + this.#markAt, NUMBER_DIGITS, index);
      writeDigits(this.#bytes, at + this.#markAt + NUMBER_DIGITS + 1, TIME_DIGITS, time);
      if (this.#messageAt !== -1)
        writeDigits(
          this.#bytes,
          at + this.#messageAt + '"messageId":"m-'.length,
          MESSAGE_DIGITS,
          Math.floor(index / CHUNKS_PER_MESSAGE),
        );
    }
    this.#write(this.#bytes.subarray(0, count * this.#line.length));
  }
}
