import type { LimitRow } from "./row.ts";

const SECOND = 1_000;

const same = (value: number) => ({ default: value, spec: value });

/** Limits of the command line as a client, and of the shutdown of the gateway. */
export const commandLineRows = {
  commandAskMs: {
    unit: "milliseconds",
    ...same(1 * SECOND),
    consequence:
      "Without a terminal to ask in, a permission request that no rule has answered is rejected.",
  },
  stopMs: {
    unit: "milliseconds",
    ...same(5 * SECOND),
    consequence:
      "A gateway that has not shut down by then exits with 1; the next start ends remaining processes.",
  },
} as const satisfies Record<string, LimitRow>;
