import type { LimitRow } from "./row.ts";

const SECOND = 1_000;

const same = (value: number) => ({ default: value, spec: value });

/** The command line as a client of the gateway, and as the one that ends it. */
export const commandLineRows = {
  commandReplyMs: {
    unit: "milliseconds",
    ...same(120 * SECOND),
    consequence: "The command fails with timeout; what it asked for may still happen.",
  },
  commandSilenceMs: {
    unit: "milliseconds",
    ...same(45 * SECOND),
    consequence: "The stream is taken for dead and made again after the last event that came.",
  },
  commandRetryMs: {
    unit: "milliseconds",
    ...same(250),
    consequence: "A stream that broke is made again; the wait doubles up to commandRetryMsMax.",
  },
  commandRetryMsMax: {
    unit: "milliseconds",
    ...same(5 * SECOND),
    consequence: "The wait between two tries grows no further.",
  },
  commandTries: {
    unit: "count",
    ...same(20),
    consequence: "After so many tries without an event the command fails with connection-lost.",
  },
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
