import { decodeLine } from "@landline/protocol";
import { toCodeopen } from "@landline/protocol/compat";
import type { LogChunk } from "../log/log.ts";
import { byteLinesOf, kindOfLine } from "../log/log-lines.ts";
import { securityHeaders } from "./security-headers.ts";

export const eventStreamHeaders = {
  ...securityHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Disables the response buffering of nginx and compatible proxies.
  "x-accel-buffering": "no",
};

export type Dialect = "landline" | "codeopen";

const CARRIAGE_RETURN = 13;
const SPACE = 32;

/**
 * Lines of the log as server-sent events, encoded once for all clients of the same chunk. The `landline` dialect is
 * assembled from bytes without parsing.
 */
export function sseBytes(chunk: LogChunk, dialect: Dialect, sessionId: string): Buffer {
  const made = encoded[dialect];
  const known = made.get(chunk);
  if (known) return known;
  const bytes = dialect === "landline" ? landlineBytes(chunk) : codeopenBytes(chunk, sessionId);
  made.set(chunk, bytes);
  return bytes;
}

const encoded: Record<Dialect, WeakMap<LogChunk, Buffer>> = {
  landline: new WeakMap(),
  codeopen: new WeakMap(),
};

/** An event of the stream that is not in the log. */
export function sseEvent(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const dataField = Buffer.from("\ndata: ");
const endOfEvent = Buffer.from("\n\n");

function landlineBytes(chunk: LogChunk): Buffer {
  const parts: Buffer[] = [];
  let seq = chunk.first;
  for (const line of byteLinesOf(chunk)) {
    parts.push(Buffer.from(`id: ${seq++}\nevent: ${kindOf(line)}`), dataField);
    parts.push(withoutReturns(line), endOfEvent);
  }
  return Buffer.concat(parts);
}

/** In JSON a carriage return is white space, but in an event stream it ends a line. */
function withoutReturns(line: Buffer): Buffer {
  if (!line.includes(CARRIAGE_RETURN)) return line;
  return Buffer.from(line.map((byte) => (byte === CARRIAGE_RETURN ? SPACE : byte)));
}

function kindOf(line: Buffer): string {
  return kindOfLine(line) ?? decodeLine(line.toString()).kind.replaceAll(/[^\w.-]/g, "-");
}

function codeopenBytes(chunk: LogChunk, sessionId: string): Buffer {
  let text = "";
  for (const line of byteLinesOf(chunk)) {
    for (const { id, event, data } of toCodeopen(sessionId, decodeLine(line.toString()))) {
      text += sseEvent(event, data, id);
    }
  }
  return Buffer.from(text);
}
