import type { LimitRow } from "./row.ts";

/** Limits of the gateway's log and metrics. */
export const telemetryRows = {
  logUnwrittenBytes: {
    unit: "bytes",
    default: 4 * 1_024 * 1_024,
    spec: 4 * 1_024 * 1_024,
    consequence:
      "Further lines of the gateway's own log are dropped, because its stderr is not read.",
  },
  logHeldBytes: {
    unit: "bytes",
    default: 4 * 1_024,
    spec: 4 * 1_024,
    consequence: "Buffered lines of the gateway's own log are written together.",
  },
  logHeldMs: {
    unit: "milliseconds",
    default: 100,
    spec: 100,
    consequence:
      "Buffered lines of the gateway's own log are written; warnings and errors are never buffered.",
  },
  metricLabels: {
    unit: "count",
    default: 200,
    spec: 200,
    consequence: "Further values of a metric's label are counted together, as `other`.",
  },
} as const satisfies Record<string, LimitRow>;
