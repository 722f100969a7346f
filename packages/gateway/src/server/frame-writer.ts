import type { Duplex } from "node:stream";
import { batchWrites } from "../batch-writes.ts";

/**
 * Writes frames to one socket. Every data frame is written as a whole, written to the socket that
 * the upgrade handed over; `ws` writes its control frames to the same socket, each whole and in one go,
 * so frames never run into each other. Past `unsentBytes` it is full: whoever can wait must wait, and is
 * let go on, one at a time, when half of it has drained. Nothing is queued here and nothing is dropped.
 */
export class FrameWriter {
  readonly #socket: Duplex;
  readonly #unsentBytes: number;
  readonly #isOpen: () => boolean;
  readonly #waiting = new Set<Waiter>();
  #turn: Waiter | null = null;
  #moved = false;
  #said = false;

  constructor(socket: Duplex, unsentBytes: number, isOpen: () => boolean) {
    this.#socket = socket;
    this.#unsentBytes = unsentBytes;
    this.#isOpen = isOpen;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > this.#unsentBytes;
  }

  /** Whole frames. What comes after the closing handshake has begun is left out, as the protocol wants. */
  send(frames: Buffer): void {
    if (!this.#isOpen()) return;
    this.#said = true;
    this.#socket.write(frames, this.#flushed);
  }

  /** What is sent inside leaves in one write. */
  together(send: () => void): void {
    this.#socket.cork();
    try {
      send();
    } finally {
      this.#socket.uncork();
    }
  }

  /** What is sent until all that the present event causes is done leaves in one write. */
  join(): void {
    batchWrites(this.#socket);
  }

  /** Its `resume` is called once, when there is room. */
  await(waiter: Waiter): void {
    this.#waiting.add(waiter);
    // What fills the socket may be pongs, whose leaving nobody tells us of: nothing, sent behind them, does.
    if (this.#isOpen()) this.#socket.write(nothing, this.#flushed);
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    this.endTurn(waiter);
  }

  /** Whoever was let go on has sent what it had, or has nothing after all. */
  endTurn(waiter: Waiter): void {
    if (this.#turn !== waiter) return;
    this.#turn = null;
    this.offerRoom();
  }

  /** Lets the next one go on, if there is room and nobody else's turn. */
  offerRoom(): void {
    if (this.#waiting.size === 0 || this.#turn || !this.#isOpen()) return;
    if (this.#socket.writableLength * 2 > this.#unsentBytes) return;
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      if (waiter.resume() === "will-send") {
        this.#turn = waiter;
        return;
      }
    }
  }

  /** Whether anything was sent, and whether what was stuck has moved, since this was asked last. */
  takeActivity(): { readonly said: boolean; readonly moved: boolean } {
    const activity = { said: this.#said, moved: this.#moved };
    this.#said = false;
    this.#moved = false;
    return activity;
  }

  // One function for all writes: a closure for each would cost more than the write itself.
  readonly #flushed = (error?: Error | null): void => {
    if (error) return;
    // While nothing is stuck, that something left says nothing: the system takes it from a dead line too.
    if (this.#waiting.size > 0 || this.#socket.writableLength > 0) this.#moved = true;
    this.offerRoom();
  };
}

const nothing = Buffer.alloc(0);

export interface Waiter {
  /** `will-send`: something of its own follows soon, and others wait until it calls `endTurn`. */
  resume(): "will-send" | "done";
}
