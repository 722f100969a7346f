import type { Limits } from "@landline/protocol";

export interface UpdateRateActions {
  hold(): void;
  release(): void;
  note(message: string): void;
}

const MINUTE_MS = 60_000;

/**
 * Applies the update rate and size limits of seed 003. Updates are never dropped: reading pauses when there are too
 * many, and large ones are passed on and noted.
 */
export class UpdateRate {
  readonly #limits: Limits;
  readonly #strict: boolean;
  readonly #actions: UpdateRateActions;
  #since = 0;
  #count = 0;
  #noted = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: Limits, strict: boolean, actions: UpdateRateActions) {
    this.#limits = limits;
    this.#strict = strict;
    this.#actions = actions;
  }

  count(length: number): void {
    if (length > this.#limits.updateBytes) this.#noteSize(length);
    const { updatesPerMinute } = this.#limits;
    if (updatesPerMinute === null) return;
    const now = performance.now();
    const minutes = Math.floor((now - this.#since) / MINUTE_MS);
    if (minutes > 0) {
      this.#since = now;
      // Updates of one read beyond the limit count for the next minute.
      this.#count = Math.max(0, this.#count - minutes * updatesPerMinute);
    }
    if (++this.#count < updatesPerMinute || this.#timer) return;
    this.#actions.hold();
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#actions.release();
      },
      MINUTE_MS - (now - this.#since),
    );
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
