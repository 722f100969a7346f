import type { Writable } from "node:stream";
import { batchWrites } from "../batch-writes.ts";

/**
 * What waits to be read by the agent. Nothing is dropped: past `heldBytes` the owner is told to stop
 * reading from the agent, past `maxBytes` a message is not taken at all. The first message leaves at
 * once, and those that are sent with it, for one cause, leave together behind it.
 */
export class Outbox {
  readonly #stream: Writable;
  readonly #heldBytes: number;
  readonly #maxBytes: number;
  readonly #onHeld: (held: boolean) => void;
  readonly #onLine: ((line: string) => void) | undefined;
  #held = false;
  #waiting: PromiseWithResolvers<void> | null = null;

  constructor(
    stream: Writable,
    heldBytes: number,
    maxBytes: number,
    onHeld: (held: boolean) => void,
    onLine?: (line: string) => void,
  ) {
    this.#stream = stream;
    this.#heldBytes = heldBytes;
    this.#maxBytes = maxBytes;
    this.#onHeld = onHeld;
    this.#onLine = onLine;
    stream.on("drain", () => this.#release());
  }

  /** False when the agent has too much unread already. */
  send(message: object): boolean {
    return this.sendText(JSON.stringify(message));
  }

  sendText(text: string): boolean {
    if (!this.#stream.writable) return true;
    if (this.#stream.writableLength + text.length > this.#maxBytes) return false;
    this.#stream.write(`${text}\n`);
    batchWrites(this.#stream);
    this.#onLine?.(text);
    if (!this.#held && this.#stream.writableLength > this.#heldBytes) {
      this.#held = true;
      this.#onHeld(true);
    }
    return true;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** Resolves when the agent has read enough to be given more. */
  whenFree(): Promise<void> {
    if (!this.#held) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** The stream is over: nobody waits for it any longer. */
  close(): void {
    this.#release();
  }

  #release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#onHeld(false);
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
