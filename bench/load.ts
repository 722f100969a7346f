/**
 * What the load agent is asked for: it is the text of the prompt, so that it comes through every system
 * in the same way, and one agent serves all.
 */
export type Load = Burst | Paced | ToolFlood | Asks;

/** As fast as it can, in writes of so many bytes; 1 is a write a line, as agents do. */
interface Burst {
  readonly kind: "burst";
  readonly count: number;
  readonly blockBytes: number;
}

/** So many events a second, each written when it is due. */
interface Paced {
  readonly kind: "paced";
  readonly count: number;
  readonly perSecond: number;
}

/** Updates of one tool call that hold all of its output each time, as fast as it can. */
interface ToolFlood {
  readonly kind: "tool-flood";
  readonly count: number;
  readonly bytesEach: number;
}

/** Permissions that the viewer grants, so many open at a time; one event comes after the last. */
interface Asks {
  readonly kind: "asks";
  readonly count: number;
  readonly window: number;
  /** Where the agent writes how long they took: `RoundTrips`. */
  readonly report: string;
}

export interface RoundTrips {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly wallMs: number;
}

/** How many events of a load carry a mark. */
export function marksOf(load: Load): number {
  return load.kind === "asks" ? 1 : load.count;
}

/** Every event has a mark in its text: this byte, its number in the load, "@", and when it was written. */
export const MARK = 0x60;
export const NUMBER_DIGITS = 8;
export const TIME_DIGITS = 16;
/** With the mark itself and the sign between the two. */
export const MARK_BYTES = 2 + NUMBER_DIGITS + TIME_DIGITS;

export const emptyMark = `\`${"0".repeat(NUMBER_DIGITS)}@${"0".repeat(TIME_DIGITS)}`;

/** Microseconds of a clock that all processes of the machine share. */
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
