/** Random numbers that are repeatable with the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  one<Of>(list: readonly Of[]): Of {
    return list[this.below(list.length)]!;
  }
}

/** The seed of this run: given, to repeat a run, or new. */
export function seedOfRun(): number {
  const given = process.env["LANDLINE_KILL_SEED"];
  const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
  process.stdout.write(`LANDLINE_KILL_SEED=${seed}\n`);
  return seed;
}
