import type { LogChunk } from "./log.ts";

const LINE_FEED = 10;
/** Longer than the start of any line, up to its kind. */
const START_LENGTH = 128;

/** The lines of a chunk, without their line feeds. */
export function linesOf({ bytes }: Pick<LogChunk, "bytes">): readonly string[] {
  return bytes.toString("utf8").trimEnd().split("\n");
}

/** Yields lines as bytes, without their line feeds. */
export function* byteLinesOf({ bytes }: Pick<LogChunk, "bytes">): Generator<Buffer> {
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/**
 * The kind of an event, read from the start of its line (encode.ts) without parsing it. Null if the line has another
 * form.
 */
export function kindOfLine(line: string | Buffer): string | null {
  const start = typeof line === "string" ? line : line.toString("latin1", 0, START_LENGTH);
  return /^\{"seq":\d+,"at":-?\d+,"kind":"([a-z-]+)"/.exec(start)?.[1] ?? null;
}
