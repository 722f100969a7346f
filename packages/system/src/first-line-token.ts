import { createHash, timingSafeEqual } from "node:crypto";
import type { Duplex } from "node:stream";
import { finishedWithin } from "./finished-within.ts";
import { isRecord, parsedJson } from "./json.ts";

/** Time to send the first line. Then the connection is closed. */
const firstLineMs = 10_000;
/** Size of the first line. A longer one closes the connection. */
export const firstLineBytes = 64 * 1_024;
/** Time for a refused client to read the error. Then the connection is closed. */
const refusalMs = 1_000;

const INVALID_REQUEST = -32600;

/** The first line of an ACP connection over TCP or WebSocket. */
export interface FirstLine {
  readonly token: string | null;
  /** The id of the message that the line is, if it is one. */
  readonly id: string | number | null;
  readonly isMessage: boolean;
}

/**
 * Reads the token that a client sends before ACP: as a first line `{"token":"…"}`, or in `_meta["landline/token"]` of
 * `initialize`. A message is put back into the stream, without the token. Null if the line is late, too long or missing.
 */
export async function readFirstLine(stream: Duplex): Promise<FirstLine | null> {
  const line = await firstLine(stream);
  if (line === null) return null;
  const message = parsedJson(line.toString("utf8"));
  if (!isMessage(message))
    return {
      token: isRecord(message) ? textOf(message["token"]) : null,
      id: null,
      isMessage: false,
    };
  const token = tokenIn(message);
  const kept = token === null ? line : Buffer.from(JSON.stringify(withoutToken(message)));
  stream.unshift(Buffer.concat([kept, newline]));
  return { token, id: idOf(message), isMessage: true };
}

/** Compares in constant time. */
export function isSameToken(one: string, other: string): boolean {
  return timingSafeEqual(hashOf(one), hashOf(other));
}

/** Sends one error response, and closes the connection. */
export async function refuseConnection(
  stream: Duplex,
  id: FirstLine["id"],
  message: string,
  reason = "token-needed",
): Promise<void> {
  const error = { code: INVALID_REQUEST, message, data: { reason } };
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  if (stream.destroyed) return;
  stream.end(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  // With unread input, closing a socket would discard the response.
  stream.resume();
  await finishedWithin(closed, refusalMs);
  stream.destroy();
}

export const tokenNeeded =
  'The token is missing or wrong. Give it as a first line {"token":"…"}, or in the `_meta` of `initialize` as `landline/token`.';

const newline = Buffer.from("\n");

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Null when the stream ends, or on a timeout or an oversized line. The rest stays in the stream. */
async function firstLine(stream: Duplex): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer): void => {
    const end = piece.indexOf(10);
    if (end === -1) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > firstLineBytes) resolve(null);
      return;
    }
    stream.pause();
    stream.off("data", take);
    if (end + 1 < piece.length) stream.unshift(piece.subarray(end + 1));
    const line = Buffer.concat([...pieces, piece.subarray(0, end)]);
    resolve(line.length > firstLineBytes ? null : line);
  };
  const stop = (): void => resolve(null);
  const timer = setTimeout(stop, firstLineMs);
  stream.on("data", take).once("end", stop).once("close", stop);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stream.off("data", take).off("end", stop).off("close", stop);
  }
}

function tokenIn(message: Record<string, unknown>): string | null {
  const { method, params } = message;
  const meta = isRecord(params) ? params["_meta"] : null;
  return method === "initialize" && isRecord(meta) ? textOf(meta["landline/token"]) : null;
}

function withoutToken(message: Record<string, unknown>): unknown {
  const params = message["params"] as Record<string, unknown>;
  const { "landline/token": _token, ...meta } = params["_meta"] as Record<string, unknown>;
  return { ...message, params: { ...params, _meta: meta } };
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && "method" in value;
}

function idOf(message: Record<string, unknown>): string | number | null {
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
