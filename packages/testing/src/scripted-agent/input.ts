import type { Readable } from "node:stream";

/** The maximum length of a line. A longer one ends the connection, because nothing after it can be trusted. */
const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * Calls `onLine` with each line, in order, without its newline. Resolves at the end of the input. A last line without a
 * newline is ignored.
 */
export async function readLines(input: Readable, onLine: (line: string) => void): Promise<void> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  for await (const read of input) {
    const chunk: Buffer = typeof read === "string" ? Buffer.from(read) : (read as Buffer);
    let start = 0;
    let end = chunk.indexOf(newline, start);
    while (end !== -1) {
      parts.push(chunk.subarray(start, end));
      onLine(Buffer.concat(parts).toString("utf8"));
      parts = [];
      partBytes = 0;
      start = end + 1;
      end = chunk.indexOf(newline, start);
    }
    parts.push(chunk.subarray(start));
    partBytes += chunk.length - start;
    if (partBytes > maxLineBytes) {
      throw new Error(`a line from the client is longer than ${maxLineBytes} bytes`);
    }
  }
}
