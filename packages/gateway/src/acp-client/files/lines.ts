import type { FileHandle } from "node:fs/promises";
import { LandlineError } from "@landline/protocol";

export interface LineRange {
  /** The first line, counted from 1. */
  readonly first: number;
  /** How many; null means all that follow. */
  readonly count: number | null;
}

const CHUNK_BYTES = 128 * 1_024;
const NEWLINE = 10;

/**
 * The bytes of these lines, line ends included, exactly as in the file. A file of any size is read in pieces, and at most
 * `maxBytes` are kept. A NUL up to the last line means that the file is not text.
 */
export async function readLines(
  handle: FileHandle,
  range: LineRange,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let toSkip = range.first - 1;
  let toKeep = range.count ?? Number.POSITIVE_INFINITY;
  while (toKeep > 0) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead === 0) break;
    const piece = chunk.subarray(0, bytesRead);
    const start = afterLines(piece, 0, toSkip);
    toSkip -= start.lines;
    const end = toSkip > 0 ? start : afterLines(piece, start.at, toKeep);
    if (toSkip === 0) toKeep -= end.lines;
    if (piece.subarray(0, end.at).includes(0)) throw notText();
    keptBytes += end.at - start.at;
    if (keptBytes > maxBytes) throw tooLarge(maxBytes);
    if (end.at > start.at) kept.push(Buffer.from(piece.subarray(start.at, end.at)));
  }
  return Buffer.concat(kept, keptBytes);
}

/** The offset behind so many line ends, or the end of the piece, and how many it had. */
function afterLines(piece: Buffer, from: number, wanted: number): { at: number; lines: number } {
  if (wanted === Number.POSITIVE_INFINITY) return { at: piece.length, lines: 0 };
  let at = from;
  for (let lines = 0; lines < wanted; lines += 1) {
    const found = piece.indexOf(NEWLINE, at);
    if (found === -1) return { at: piece.length, lines };
    at = found + 1;
  }
  return { at, lines: wanted };
}

export function tooLarge(maxBytes: number): LandlineError {
  return new LandlineError("file-too-large", {
    message: `The text is longer than ${maxBytes} bytes.`,
    data: { maxBytes },
  });
}

export function notText(): LandlineError {
  return new LandlineError("file-too-large", {
    message: "The file is not text.",
    help: "Only text in UTF-8 can be read.",
  });
}
