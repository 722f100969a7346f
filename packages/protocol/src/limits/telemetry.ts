import type { LimitRow } from "./row.ts";

/** What operators see of the gateway. */
export const observeRows = {
  logUnwrittenBytes: {
    unit: "bytes",
    default: 4 * 1_024 * 1_024,
    spec: 4 * 1_024 * 1_024,
    consequence: "Nobody reads the gateway's stderr: further lines of its own log are dropped.",
  },
  logHeldBytes: {
    unit: "bytes",
    default: 4 * 1_024,
    spec: 4 * 1_024,
    consequence: "Lines of the gateway's own log that were held back are written, together.",
  },
  logHeldMs: {
    unit: "milliseconds",
    default: 100,
    spec: 100,
    consequence:
      "Lines of the gateway's own log that were held back are written; a warning or an error never waits.",
  },
  metricLabels: {
    unit: "count",
    default: 200,
    spec: 200,
    consequence: "Further values of a metric's label are counted together, as `other`.",
  },
} as const satisfies Record<string, LimitRow>;
