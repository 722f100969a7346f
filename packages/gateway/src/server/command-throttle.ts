import type { Limits } from "@landline/protocol";
import { TokenBucket } from "./token-bucket.ts";

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
  readonly #reasons = new Set<Reason>();
  readonly #bucket: TokenBucket;
  /** Reading slows down when fewer tokens are left. */
  readonly #reserve: number;
  #open = 0;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(held: Held, limits: Limits, now: () => number = () => performance.now()) {
    this.#held = held;
    this.#limits = limits;
    const burst = Math.max(1, Math.floor(limits.socketCommandsPerMinute / 6));
    this.#bucket = new TokenBucket(limits.socketCommandsPerMinute, burst, now);
    this.#reserve = burst / 2;
  }

  get isPaused(): boolean {
    return this.#reasons.size > 0;
  }

  /** Returns null when the message may pass, otherwise the milliseconds until a retry. */
  admit(): number | null {
    const waitMs = this.#bucket.take();
    this.#slowDown(this.#bucket.msUntil(this.#reserve));
    return waitMs === 0 ? null : Math.ceil(waitMs);
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

  #slowDown(forMs: number): void {
    if (forMs === 0) return;
    this.hold("rate");
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.release("rate");
    }, forMs);
  }
}
