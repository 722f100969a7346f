import { Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk/unstable";
import type { OversizedLine } from "@landline/system/line-splitter";
import { finishedWithin } from "@landline/system/finished-within";
import { connectionLimits } from "../limits.ts";
import { modernise } from "./legacy-messages.ts";
import { readMessageId } from "@landline/system/oversized-message";
import { lineLimit } from "./line-limit.ts";

/** How long requests that came before the end of input may take to be answered. Then they are dropped. */
const lastAnswersMs = 300;

/**
 * A connection over two byte streams: standard input and output, or a socket's two ways. When the input
 * ends, what was asked before is still answered, if that is quick: `echo … | landline agent` prints
 * something.
 */
export function lineStream(input: Readable, output: Writable): Stream {
  const { messageBytes } = connectionLimits;
  const lines = (Readable.toWeb(input) as ReadableStream<Uint8Array>).pipeThrough(
    lineLimit(messageBytes, (line) => refuse(line, (message) => void writer.write(message))),
  );
  const bytes = ndJsonStream(Writable.toWeb(output) as WritableStream<Uint8Array>, lines, {
    maxMessageBytes: messageBytes,
  });
  const asked = new Asked();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const modern = modernise(message) as AnyMessage;
      asked.came(modern);
      controller.enqueue(modern);
    },
    flush: () => asked.answered(lastAnswersMs),
  });
  const writer = bytes.writable.getWriter();
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message);
      asked.left(message);
    },
  });
  return { writable, readable: bytes.readable.pipeThrough(incoming) };
}

/** Whoever waits for a message that was too large is told: the client by an answer, this agent by the line returned. */
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

/** The requests of the client that have no answer yet. */
class Asked {
  readonly #open = new Set<unknown>();
  #allAnswered: (() => void) | null = null;

  came(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#open.add(message.id);
  }

  left(message: AnyMessage): void {
    if ("method" in message || !("id" in message)) return;
    this.#open.delete(message.id);
    if (this.#open.size === 0) this.#allAnswered?.();
  }

  async answered(limitMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allAnswered = resolve;
    await finishedWithin(promise, limitMs);
  }
}
