import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync } from "node:fs";
import { LandlineError } from "@landline/protocol";
import { hasErrorCode } from "@landline/system/error-code";
import { damaged } from "./disk-error.ts";
import { lineNumber } from "./encode.ts";

/**
 * A segment is one file of a session's log: a header line, then one event per line. Its name is the sequence number of
 * its first event. Only the last segment of a session is written to.
 */
export interface Segment {
  readonly path: string;
  readonly first: number;
  /** The offset after the last whole line. */
  size: number;
  /** Sparse index from sequence number to offset, in order. Writes and reads add to it. */
  readonly marks: Mark[];
}

export interface Mark {
  readonly seq: number;
  readonly offset: number;
}

const FORMAT = "landline-log";
const VERSION = 1;
const HEADER_BYTES_MAX = 4_096;
const WINDOW_BYTES = 64 * 1_024;
const LINE_FEED = 10;

export function segmentName(first: number): string {
  return `${String(first).padStart(12, "0")}.ndjson`;
}

/** The sequence number in a segment's file name, or null if it is not a segment. */
export function segmentFirst(name: string): number | null {
  const digits = /^(\d{12,16})\.ndjson$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function headerLine(sessionId: string, first: number): Buffer {
  return Buffer.from(
    `${JSON.stringify({ format: FORMAT, version: VERSION, session: sessionId, first })}\n`,
  );
}

export function noteMark(segment: Segment, mark: Mark, everyEvents: number): void {
  const last = segment.marks.at(-1);
  if (!last || mark.seq - last.seq >= everyEvents) segment.marks.push(mark);
}

/** Opens a segment that is not the last one. Checks its header; readers check its lines. */
export function openSegment(path: string, sessionId: string, first: number): Segment {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const header = readHeader(file, path, sessionId, first);
    if (header === null) throw damaged(path, "the header line is missing");
    return { path, first, size, marks: [{ seq: first, offset: header }] };
  } finally {
    closeSync(file);
  }
}

/**
 * Opens the last segment and truncates a torn last line, which was never acknowledged. If even the header is torn,
 * removes the file and returns null.
 */
export function openLastSegment(
  path: string,
  sessionId: string,
  first: number,
): { segment: Segment; head: number } | null {
  const { file, writable } = openForCutting(path);
  try {
    const header = readHeader(file, path, sessionId, first);
    if (header === null) {
      if (writable) unlinkSync(path);
      return null;
    }
    const { size } = fstatSync(file);
    const end = afterLastLineFeed(file, size);
    if (end < size && writable) ftruncateSync(file, end);
    const segment: Segment = { path, first, size: end, marks: [{ seq: first, offset: header }] };
    return { segment, head: end === header ? first - 1 : lastNumber(file, path, header, end) };
  } finally {
    closeSync(file);
  }
}

function openForCutting(path: string): { file: number; writable: boolean } {
  try {
    return { file: openSync(path, "r+"), writable: true };
  } catch (error) {
    // A log on a read-only file system can still be read.
    if (hasErrorCode(error, "EROFS", "EACCES"))
      return { file: openSync(path, "r"), writable: false };
    throw error;
  }
}

/** The length of the header line, or null if it is incomplete. */
function readHeader(file: number, path: string, sessionId: string, first: number): number | null {
  const bytes = Buffer.alloc(HEADER_BYTES_MAX);
  const read = readSync(file, bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, read).indexOf(LINE_FEED);
  if (end === -1) {
    if (read === bytes.length) throw damaged(path, "the header line is not valid");
    return null;
  }
  const header = parseHeader(bytes.subarray(0, end), path);
  if (header.version > VERSION) {
    throw new LandlineError("log-newer", {
      message: `${path} has format ${header.version}; this Landline reads up to ${VERSION}.`,
      data: { path },
    });
  }
  if (header.session !== sessionId) throw damaged(path, `it belongs to session ${header.session}`);
  if (header.first !== first)
    throw damaged(path, `its file name does not match its header (${header.first})`);
  return end + 1;
}

function parseHeader(
  bytes: Buffer,
  path: string,
): { version: number; session: string; first: number } {
  try {
    const { format, version, session, first } = JSON.parse(bytes.toString()) as Record<
      string,
      unknown
    >;
    if (
      format === FORMAT &&
      typeof version === "number" &&
      Number.isSafeInteger(version) &&
      version > 0
    ) {
      return { version, session: String(session), first: Number(first) };
    }
  } catch {
    // Not JSON: reported below.
  }
  throw damaged(path, "the header line is not valid");
}

function afterLastLineFeed(file: number, size: number): number {
  const window = Buffer.alloc(WINDOW_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - WINDOW_BYTES);
    const read = readSync(file, window, 0, end - start, start);
    const at = window.subarray(0, read).lastIndexOf(LINE_FEED);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}

function lastNumber(file: number, path: string, header: number, end: number): number {
  const start = Math.max(header, afterLastLineFeed(file, end - 1));
  const line = Buffer.alloc(end - start);
  readSync(file, line, 0, line.length, start);
  const seq = lineNumber(line, 0);
  if (seq === -1 || !isJson(line))
    throw damaged(path, `the last line, at byte ${start}, is not an event`);
  return seq;
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString());
    return true;
  } catch {
    return false;
  }
}
