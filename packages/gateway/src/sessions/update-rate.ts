import type { Limits } from "@landline/protocol";
import { SlidingWindow } from "../sliding-window.ts";

export interface UpdateRateActions {
  hold(): void;
  release(): void;
  note(message: string): void;
}

/**
 * Applies the update rate and size limits of seed 003. Updates are never dropped: reading pauses when there are too
 * many, and large ones are passed on and noted.
 */
export class UpdateRate {
  readonly #limits: Limits;
  readonly #strict: boolean;
  readonly #actions: UpdateRateActions;
  readonly #window: SlidingWindow | null;
  #noted = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: Limits, strict: boolean, actions: UpdateRateActions) {
    this.#limits = limits;
    this.#strict = strict;
    this.#actions = actions;
    const { updatesPerMinute } = limits;
    this.#window = updatesPerMinute === null ? null : new SlidingWindow(updatesPerMinute);
  }

  count(length: number): void {
    if (length > this.#limits.updateBytes) this.#noteSize(length);
    if (this.#window === null) return;
    const now = performance.now();
    // Updates of one read beyond the limit count for the next minute.
    this.#window.take(now);
    const waitMs = this.#window.freeAt(now) - now;
    if (waitMs === 0 || this.#timer) return;
    this.#actions.hold();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#actions.release();
    }, waitMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #noteSize(length: number): void {
    if (this.#noted && !this.#strict) return;
    this.#noted = true;
    this.#actions.note(
      `An update of ${length} bytes is larger than ${this.#limits.updateBytes}; it was passed on.`,
    );
  }
}
