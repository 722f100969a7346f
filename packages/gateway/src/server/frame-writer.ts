import type { Duplex } from "node:stream";
import { batchWrites } from "../batch-writes.ts";

/**
 * Writes whole frames to one socket. `ws` writes its control frames whole to the same socket, so frames never mix. Past
 * `unsentBytes` the writer is full: senders must wait, and resume one at a time when half of it has drained. It queues
 * and drops nothing.
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

  /** Writes whole frames. Frames after the start of the closing handshake are omitted, as the protocol requires. */
  send(frames: Buffer): void {
    if (!this.#isOpen()) return;
    this.#said = true;
    this.#socket.write(frames, this.#flushed);
  }

  /** Writes everything that `send` sends in one write. */
  together(send: () => void): void {
    this.#socket.cork();
    try {
      send();
    } finally {
      this.#socket.uncork();
    }
  }

  /** Joins everything sent during the current event into one write. */
  join(): void {
    batchWrites(this.#socket);
  }

  /** Calls `resume` of the waiter once, when there is room. */
  await(waiter: Waiter): void {
    this.#waiting.add(waiter);
    // Pongs of `ws` may fill the socket without a callback. The callback of an empty write after them reports the
    // drain.
    if (this.#isOpen()) this.#socket.write(nothing, this.#flushed);
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    this.endTurn(waiter);
  }

  /** Ends the turn of a resumed waiter. */
  endTurn(waiter: Waiter): void {
    if (this.#turn !== waiter) return;
    this.#turn = null;
    this.offerRoom();
  }

  /** Resumes the next waiter if there is room and no other waiter has its turn. */
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

  /** Reports whether anything was sent, and whether unsent data moved, since the last call. */
  takeActivity(): { readonly said: boolean; readonly moved: boolean } {
    const activity = { said: this.#said, moved: this.#moved };
    this.#said = false;
    this.#moved = false;
    return activity;
  }

  // One function for all writes: a closure for each would cost more than the write.
  readonly #flushed = (error?: Error | null): void => {
    if (error) return;
    // If nothing was stuck, a finished write proves nothing: the system accepts data for a dead connection too.
    if (this.#waiting.size > 0 || this.#socket.writableLength > 0) this.#moved = true;
    this.offerRoom();
  };
}

const nothing = Buffer.alloc(0);

export interface Waiter {
  /** `will-send`: the waiter sends soon, and others wait until it calls `endTurn`. */
  resume(): "will-send" | "done";
}
