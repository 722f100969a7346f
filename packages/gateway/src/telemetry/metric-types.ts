/**
 * Counters, gauges and histograms in memory. A metric has at most one label, with a bounded number of values; further
 * values count as `other`.
 */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Suffix of the metric's name, for the parts of a histogram. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
}

export interface Series {
  readonly type: "counter" | "gauge" | "histogram";
  samples(): readonly Sample[];
}

/** A counter. */
export class Counter implements Series {
  readonly type = "counter";
  #value = 0;

  add(amount = 1): void {
    this.#value += amount;
  }

  samples(): readonly Sample[] {
    return [{ labels: {}, value: this.#value }];
  }
}

class Labelled<Value extends string> {
  readonly #label: string;
  readonly #most: number;
  readonly #values = new Map<string, number>();

  constructor(label: string, most: number) {
    this.#label = label;
    this.#most = most;
  }

  protected change(value: Value, to: (before: number) => number): void {
    const isKnown = this.#values.has(value) || this.#values.size < this.#most;
    const kept = isKnown ? value : "other";
    this.#values.set(kept, to(this.#values.get(kept) ?? 0));
  }

  samples(): readonly Sample[] {
    return [...this.#values].map(([label, value]) => ({ labels: { [this.#label]: label }, value }));
  }
}

/** A counter with a label. */
export class LabelledCounter<Value extends string = string>
  extends Labelled<Value>
  implements Series
{
  readonly type = "counter";

  add(value: Value, amount = 1): void {
    this.change(value, (before) => before + amount);
  }
}

/** A gauge with a label. */
export class LabelledGauge<Value extends string = string>
  extends Labelled<Value>
  implements Series
{
  readonly type = "gauge";

  add(value: Value, amount: number): void {
    this.change(value, (before) => before + amount);
  }

  set(value: Value, amount: number): void {
    this.change(value, () => amount);
  }
}

/** A histogram of durations: observed in milliseconds, exported in seconds, as Prometheus expects. */
export class Durations implements Series {
  readonly type = "histogram";
  readonly #boundsMs: readonly number[];
  readonly #counts: number[];
  #sumMs = 0;

  constructor(boundsMs: readonly number[]) {
    this.#boundsMs = boundsMs;
    this.#counts = [...boundsMs.map(() => 0), 0];
  }

  observe(durationMs: number): void {
    const found = this.#boundsMs.findIndex((bound) => durationMs <= bound);
    const bucket = found === -1 ? this.#boundsMs.length : found;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += durationMs;
  }

  /** Buckets are cumulative. */
  samples(): readonly Sample[] {
    let total = 0;
    const buckets = this.#counts.map((count, index) => {
      total += count;
      const boundMs = this.#boundsMs[index];
      const le = boundMs === undefined ? "+Inf" : boundMs / 1_000;
      return { labels: { le }, value: total, suffix: "_bucket" } as const;
    });
    return [
      ...buckets,
      { labels: {}, value: this.#sumMs / 1_000, suffix: "_sum" },
      { labels: {}, value: total, suffix: "_count" },
    ];
  }
}
