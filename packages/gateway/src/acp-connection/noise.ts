/**
 * Lines that are not protocol: the first few of a burst are kept, all are counted, and a flood of them
 * makes no more than one report a window.
 */
export interface NoiseReport {
  readonly lines: readonly string[];
  /** How many lines there were since the last report, the kept ones included. */
  readonly count: number;
  /** What was wrong with the first of them. */
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

  /** Reports what was gathered, unless a report was made a moment ago. `last`: there will be no other chance. */
  flush(last = false): void {
    if (this.#count === 0 || (!last && this.#now() < this.#quietUntil)) return;
    const report = { lines: this.#lines, count: this.#count, reason: this.#reason };
    this.#lines = [];
    this.#count = 0;
    this.#quietUntil = this.#now() + this.#limits.noiseWindowMs;
    this.#report(report);
  }
}
