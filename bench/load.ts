/** What the load agent plays. It is the text of the prompt, so that every system forwards it unchanged. */
export type Load = Burst | Paced | ToolFlood | RequestLoad;

/** As fast as possible, in writes of `blockBytes`; 1 means one write per line, as agents do. */
interface Burst {
  readonly kind: "burst";
  readonly count: number;
  readonly blockBytes: number;
}

/** A fixed number of events per second, each written when it is due. */
interface Paced {
  readonly kind: "paced";
  readonly count: number;
  readonly perSecond: number;
}

/** Updates of one tool call that each contain its whole output, as fast as possible. */
interface ToolFlood {
  readonly kind: "tool-flood";
  readonly count: number;
  readonly bytesEach: number;
}

/** Permission requests that the viewer allows, `window` at a time; one event follows the last. */
interface RequestLoad {
  readonly kind: "asks";
  readonly count: number;
  readonly window: number;
  /** The file to which the agent writes the times: `RoundTrips`. */
  readonly report: string;
}

export interface RoundTrips {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly wallMs: number;
}

/** The number of events with a mark. */
export function marksOf(load: Load): number {
  return load.kind === "asks" ? 1 : load.count;
}

/** The text of every event contains a mark: this byte, its number in the load, "@", and the time of the write. */
export const MARK = 0x60;
export const NUMBER_DIGITS = 8;
export const TIME_DIGITS = 16;
/** Including the mark byte and the "@". */
export const MARK_BYTES = 2 + NUMBER_DIGITS + TIME_DIGITS;

export const emptyMark = `\`${"0".repeat(NUMBER_DIGITS)}@${"0".repeat(TIME_DIGITS)}`;

/** A clock in microseconds that all processes share. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function writeDigits(bytes: Buffer, at: number, digits: number, value: number): void {
  let rest = value;
  for (let place = at + digits - 1; place >= at; place--) {
    const next = Math.floor(rest / 10);
    bytes[place] = 48 + rest - next * 10;
    rest = next;
  }
}

export function readDigits(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let place = at; place < at + digits; place++) value = value * 10 + (bytes[place] ?? 0) - 48;
  return value;
}

export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
