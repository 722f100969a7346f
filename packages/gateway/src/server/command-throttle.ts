import type { Limits } from "@landline/protocol";

/** Something that can be paused: a `ws` socket, or a test double. */
export interface Held {
  pause(): void;
  resume(): void;
}

type Reason = "rate" | "open" | "unsent";

/**
 * Limits the commands of one socket: at most `socketCommandsOpen` at once and `socketCommandsPerMinute` over time, with
 * a burst of a sixth of that. A faster client is read more slowly; when nothing is left, its commands are refused with
 * a retry time.
 */
export class CommandThrottle implements Disposable {
  readonly #held: Held;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #reasons = new Set<Reason>();
  readonly #burst: number;
  #left: number;
  #countedAt: number;
  #open = 0;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(held: Held, limits: Limits, now: () => number = () => performance.now()) {
    this.#held = held;
    this.#limits = limits;
    this.#now = now;
    this.#burst = Math.max(1, Math.floor(limits.socketCommandsPerMinute / 6));
    this.#left = this.#burst;
    this.#countedAt = now();
  }

  get isPaused(): boolean {
    return this.#reasons.size > 0;
  }

  /** Returns null when the message may pass, otherwise the milliseconds until a retry. */
  admit(): number | null {
    this.#refill();
    const half = this.#burst / 2;
    if (this.#left < 1) {
      this.#slowDown(half);
      return Math.ceil(this.#msUntil(1));
    }
    this.#left -= 1;
    if (this.#left < half) this.#slowDown(half);
    return null;
  }

  begin(): void {
    this.#open += 1;
    if (this.#open >= this.#limits.socketCommandsOpen) this.hold("open");
  }

  end(): void {
    this.#open -= 1;
    if (this.#open < this.#limits.socketCommandsOpen) this.release("open");
  }

  hold(reason: Reason): void {
    if (this.#isOver) return;
    if (this.#reasons.size === 0) this.#held.pause();
    this.#reasons.add(reason);
  }

  release(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#held.resume();
  }

  /** Resumes reading, so that a closing handshake can arrive. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.isPaused) this.#held.resume();
    this.#reasons.clear();
  }

  #slowDown(until: number): void {
    this.hold("rate");
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#refill();
      this.release("rate");
    }, this.#msUntil(until));
  }

  #refill(): void {
    const now = this.#now();
    const earned = ((now - this.#countedAt) * this.#limits.socketCommandsPerMinute) / 60_000;
    this.#left = Math.min(this.#burst, this.#left + earned);
    this.#countedAt = now;
  }

  #msUntil(wanted: number): number {
    const missing = Math.max(0, wanted - this.#left);
    return (missing * 60_000) / Math.max(1, this.#limits.socketCommandsPerMinute);
  }
}
