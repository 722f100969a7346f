import type { Writable } from "node:stream";
import { batchWrites } from "../batch-writes.ts";

/**
 * Messages that the agent has not read yet. Nothing is dropped: above `heldBytes` the owner stops reading from the
 * agent, and above `maxBytes` new messages are refused. The first message is written immediately; messages sent in
 * the same tick follow in one write.
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

  /** Returns false if too much output is unread. */
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

  /** Resolves when the agent has read enough to receive more. */
  whenFree(): Promise<void> {
    if (!this.#held) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** The stream ended: releases all waiters. */
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
