import { Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk/unstable";
import type { OversizedLine } from "@landline/system/line-splitter";
import { finishedWithin } from "@landline/system/finished-within";
import { connectionLimits } from "../limits.ts";
import { modernise } from "./legacy-messages.ts";
import { readMessageId } from "@landline/system/oversized-message";
import { lineLimit } from "./line-limit.ts";

/** How long to wait for open responses after the input ended. */
const lastAnswersMs = 300;

/**
 * A connection over two byte streams: stdin and stdout, or a socket. When the input ends, open requests are
 * still answered if that is quick, so that `echo … | landline agent` prints a response.
 */
export function messageStream(input: Readable, output: Writable): Stream {
  const { messageBytes } = connectionLimits;
  const lines = (Readable.toWeb(input) as ReadableStream<Uint8Array>).pipeThrough(
    lineLimit(messageBytes, (line) => refuse(line, (message) => void writer.write(message))),
  );
  const bytes = ndJsonStream(Writable.toWeb(output) as WritableStream<Uint8Array>, lines, {
    maxMessageBytes: messageBytes,
  });
  const asked = new PendingRequests();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const modern = modernise(message) as AnyMessage;
      asked.received(modern);
      controller.enqueue(modern);
    },
    flush: () => asked.settled(lastAnswersMs),
  });
  const writer = bytes.writable.getWriter();
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message);
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

/** Requests of the client without a response. */
class PendingRequests {
  readonly #open = new Set<unknown>();
  #allAnswered: (() => void) | null = null;

  received(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#open.add(message.id);
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
