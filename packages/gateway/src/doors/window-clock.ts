/**
 * The common beat of everybody who holds something back for the same number of milliseconds: one timer for
 * all of them, however many, and none while nobody waits. Nobody waits for longer than the window.
 */
export interface WindowClock {
  /** Calls once, at the end of the window that is running. */
  add(wake: () => void): void;
  remove(wake: () => void): void;
}

const clocks = new Map<number, WindowClock>();

export function windowClock(windowMs: number): WindowClock {
  const known = clocks.get(windowMs) ?? new Beat(windowMs);
  clocks.set(windowMs, known);
  return known;
}

class Beat implements WindowClock {
  readonly #windowMs: number;
  #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(wake: () => void): void {
    this.#waiting.add(wake);
    this.#timer ??= setTimeout(this.#wakeAll, this.#windowMs);
  }

  remove(wake: () => void): void {
    this.#waiting.delete(wake);
    if (this.#waiting.size > 0 || !this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly #wakeAll = (): void => {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    this.#timer = null;
    for (const wake of waiting) wake();
  };
}
