import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { connectionLimits } from "./limits.ts";
import { finishedWithin } from "@landline/system/finished-within";
import { isRecord, parsedJson } from "@landline/system/json";

/** Time to send the token. Then the connection is closed. */
const tokenMs = 10_000;
/** Time for a refused client to read the error. Then the connection is closed. */
const refusalMs = 1_000;

const INVALID_REQUEST = -32600;

/**
 * Requires the token before ACP: as a first line `{"token":"…"}`, or in `_meta["landline/token"]` of
 * `initialize`. A missing, wrong, oversized or late token gets one error response, and the connection is
 * closed.
 */
export class TokenAuthentication {
  readonly #hash: Buffer;

  constructor(token: string) {
    this.#hash = hashOf(token);
  }

  /** Puts the line back into the stream unless it contained only the token. */
  async authenticates(socket: Socket): Promise<boolean> {
    const line = await firstLine(socket);
    if (line === null) return refuse(socket, null);
    const message = parsedJson(line.toString("utf8"));
    const offered = offeredToken(message);
    if (offered === null || !timingSafeEqual(hashOf(offered), this.#hash)) {
      return refuse(socket, idOf(message));
    }
    if (isMessage(message)) socket.unshift(Buffer.concat([line, newline]));
    return true;
  }
}

const newline = Buffer.from("\n");

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Null when the stream ends, or on a timeout or an oversized line. The rest stays in the socket. */
async function firstLine(socket: Socket): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer): void => {
    const end = piece.indexOf(10);
    if (end === -1) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > connectionLimits.firstLineBytes) resolve(null);
      return;
    }
    socket.pause();
    socket.off("data", take);
    if (end + 1 < piece.length) socket.unshift(piece.subarray(end + 1));
    const line = Buffer.concat([...pieces, piece.subarray(0, end)]);
    resolve(line.length > connectionLimits.firstLineBytes ? null : line);
  };
  const stop = (): void => resolve(null);
  const timer = setTimeout(stop, tokenMs);
  socket.on("data", take).once("end", stop).once("close", stop);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off("data", take).off("end", stop).off("close", stop);
  }
}

function offeredToken(message: unknown): string | null {
  if (!isRecord(message)) return null;
  if (!isMessage(message)) return textOf(message["token"]);
  const { params } = message;
  const meta = isRecord(params) ? params["_meta"] : null;
  const isFirst = message["method"] === "initialize";
  return isFirst && isRecord(meta) ? textOf(meta["landline/token"]) : null;
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && "method" in value;
}

function idOf(message: unknown): string | number | null {
  const id = isRecord(message) ? message["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Sends the error before it closes the connection. Always false. */
async function refuse(socket: Socket, id: string | number | null): Promise<false> {
  const message =
    'The token is missing or wrong. Give it as a first line {"token":"…"}, or in the `_meta` of `initialize` as `landline/token`.';
  const error = { code: INVALID_REQUEST, message, data: { reason: "token-needed" } };
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (socket.destroyed) return false;
  socket.end(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  // With unread input, closing the socket would discard the response.
  socket.resume();
  await finishedWithin(closed, refusalMs);
  return false;
}
