import { Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk/unstable";
import { connectionLimits } from "../limits.ts";
import { modernise } from "./legacy.ts";

/**
 * A connection over two byte streams: standard input and output, or a socket's two ways. When the input
 * ends, what was asked before is still answered, if that is quick: `echo … | landline agent` prints
 * something.
 */
export function lineStream(input: Readable, output: Writable): Stream {
  const bytes = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const asked = new Asked();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const modern = modernise(message) as AnyMessage;
      asked.came(modern);
      controller.enqueue(modern);
    },
    flush: () => asked.answered(connectionLimits.lastAnswersMs),
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
    const timer = setTimeout(resolve, limitMs);
    this.#allAnswered = resolve;
    await promise;
    clearTimeout(timer);
  }
}
