/**
 * Counts lines that are not protocol messages. It stores the first few lines of a burst and makes at most one report
 * per window.
 */
export interface NoiseReport {
  readonly lines: readonly string[];
  /** The number of lines since the last report, including the stored ones. */
  readonly count: number;
  /** The problem with the first line. */
  readonly reason: string;
}

export interface NoiseLimits {
  readonly noiseLineLength: number;
  readonly noiseLinesKept: number;
  readonly noiseWindowMs: number;
}

export class NoiseMeter {
  readonly #limits: NoiseLimits;
  readonly #report: (report: NoiseReport) => void;
  readonly #now: () => number;
  #lines: string[] = [];
  #count = 0;
  #reason = "";
  #quietUntil = 0;
  total = 0;

  constructor(limits: NoiseLimits, report: (report: NoiseReport) => void, now: () => number) {
    this.#limits = limits;
    this.#report = report;
    this.#now = now;
  }

  add(line: string, reason: string): void {
    this.total++;
    if (this.#count++ === 0) this.#reason = reason;
    if (this.#lines.length >= this.#limits.noiseLinesKept) return;
    const { noiseLineLength } = this.#limits;
    this.#lines.push(line.length > noiseLineLength ? `${line.slice(0, noiseLineLength)}…` : line);
  }

  /** Reports the collected lines, unless the window of the last report is still open. `last` reports in any case. */
  flush(last = false): void {
    if (this.#count === 0 || (!last && this.#now() < this.#quietUntil)) return;
    const report = { lines: this.#lines, count: this.#count, reason: this.#reason };
    this.#lines = [];
    this.#count = 0;
    this.#quietUntil = this.#now() + this.#limits.noiseWindowMs;
    this.#report(report);
  }
}
