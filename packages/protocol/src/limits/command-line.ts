import type { LimitRow } from "./row.ts";

const SECOND = 1_000;

const same = (value: number) => ({ default: value, spec: value });

/** The command line as a client of the gateway, and as the one that ends it. */
export const commandLineRows = {
  commandAskMs: {
    unit: "milliseconds",
    ...same(1 * SECOND),
    consequence: "Where nobody can be asked, a permission that no rule has answered is refused.",
  },
  stopMs: {
    unit: "milliseconds",
    ...same(5 * SECOND),
    consequence:
      "A gateway that has not ended by then exits with 1; the next start ends what is left.",
  },
} as const satisfies Record<string, LimitRow>;
