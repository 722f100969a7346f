import { Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk/unstable";
import type { OversizedLine } from "@landline/system/line-splitter";
import { finishedWithin } from "@landline/system/finished-within";
import { isRecord, parsedJson } from "@landline/system/json";
import { connectionLimits } from "../limits.ts";
import { modernise } from "./legacy-messages.ts";
import { readMessageId } from "@landline/system/oversized-message";
import { lineLimit } from "./line-limit.ts";

/** How long to wait for open responses after the input ended. */
const lastAnswersMs = 300;

export interface MessageStreamOptions {
  /** Puts the numbers of seed 003 into `error.code` (`--limits spec`). */
  readonly seedErrorCodes?: boolean;
}

/**
 * A connection over two byte streams: stdin and stdout, or a socket. When the input ends, open requests are
 * still answered if that is quick, so that `echo … | landline agent` prints a response.
 */
export function messageStream(
  input: Readable,
  output: Writable,
  { seedErrorCodes = false }: MessageStreamOptions = {},
): Stream {
  const { messageBytes } = connectionLimits;
  const send = (message: AnyMessage) => void writer.write(message);
  const lines = (Readable.toWeb(input) as ReadableStream<Uint8Array>).pipeThrough(
    lineLimit(
      messageBytes,
      (line) => refuse(line, send),
      (line) => {
        // The SDK would repeat the string in its response.
        const isString = line.trimStart().startsWith('"') && parsedJson(line) !== undefined;
        if (isString) send(invalidRequest(null));
        return !isString;
      },
    ),
  );
  const bytes = ndJsonStream(Writable.toWeb(output) as WritableStream<Uint8Array>, lines, {
    maxMessageBytes: messageBytes,
  });
  const asked = new PendingRequests();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const modern = modernise(message) as AnyMessage;
      const refusal = invalidMessage(modern, asked);
      if (refusal !== null) {
        send(refusal);
        return;
      }
      asked.received(modern);
      controller.enqueue(modern);
    },
    flush: () => asked.settled(lastAnswersMs),
  });
  const writer = bytes.writable.getWriter();
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      asked.sent(message);
      await writer.write(
        seedErrorCodes ? withSeedCode(withoutEcho(message)) : withoutEcho(message),
      );
      asked.responded(message);
    },
  });
  return { writable, readable: bytes.readable.pipeThrough(incoming) };
}

/**
 * Reports an oversized message to its sender: a request to the client by an error response, a response to
 * this agent by the returned line.
 */
function refuse(line: OversizedLine, send: (message: AnyMessage) => void): string | null {
  const most = `${connectionLimits.messageBytes / 1_024 / 1_024} MiB`;
  console.error(`A message of the client was larger than ${most} and was dropped.`);
  const ends = readMessageId(line);
  const error = {
    code: INVALID_REQUEST,
    message: `A message has at most ${most}. Send less at once: smaller or fewer attachments.`,
    data: { reason: "message-too-large" },
  };
  if (ends?.type === "response") return JSON.stringify({ jsonrpc: "2.0", id: ends.id, error });
  send({ jsonrpc: "2.0", id: ends?.id ?? null, error });
  return null;
}

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;

/**
 * The response to a message that is neither a request, a notification nor a response; null for any other. The SDK
 * would answer it without its id and repeat the whole message, or ignore it.
 */
function invalidMessage(message: AnyMessage, asked: PendingRequests): AnyMessage | null {
  const { id, jsonrpc, method, result, error } = message as unknown as Record<string, unknown>;
  const isId = typeof id === "string" || typeof id === "number";
  const isCall = typeof method === "string" && (id === undefined || id === null || isId);
  const isResponse = result !== undefined || error !== undefined || asked.isOurs(id);
  if (jsonrpc === "2.0" && (isCall || (method === undefined && isResponse))) return null;
  return invalidRequest(isId ? id : null);
}

function invalidRequest(id: string | number | null): AnyMessage {
  const message =
    "The message is neither a request, a notification nor a response of JSON-RPC 2.0.";
  return { jsonrpc: "2.0", id, error: errorOf(INVALID_REQUEST, message, "invalid-request") };
}

/** In two errors the SDK repeats the name of the method, of any length. */
function withoutEcho(message: AnyMessage): AnyMessage {
  if (!("error" in message)) return message;
  const { code, data } = message.error;
  if (code === METHOD_NOT_FOUND)
    return { ...message, error: errorOf(code, "There is no such method.", "method-not-found") };
  if (code === INVALID_REQUEST && data === undefined)
    return { ...message, error: errorOf(code, "Send initialize first.", "invalid-request") };
  return message;
}

function errorOf(code: number, message: string, reason: string) {
  return { code, message, data: { reason } };
}

function withSeedCode(message: AnyMessage): AnyMessage {
  if (!("error" in message)) return message;
  const { data } = message.error;
  const code = isRecord(data) ? data["code"] : undefined;
  return typeof code === "number" ? { ...message, error: { ...message.error, code } } : message;
}

/** Requests of the client without a response, and requests of the agent. */
class PendingRequests {
  readonly #open = new Set<unknown>();
  readonly #ours = new Set<unknown>();
  #allAnswered: (() => void) | null = null;

  received(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#open.add(message.id);
    else if ("id" in message) this.#ours.delete(message.id);
  }

  sent(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#ours.add(message.id);
  }

  isOurs(id: unknown): boolean {
    return this.#ours.has(id);
  }

  responded(message: AnyMessage): void {
    if ("method" in message || !("id" in message)) return;
    this.#open.delete(message.id);
    if (this.#open.size === 0) this.#allAnswered?.();
  }

  async settled(limitMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allAnswered = resolve;
    await finishedWithin(promise, limitMs);
  }
}
