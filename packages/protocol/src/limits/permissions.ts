import type { LimitRow } from "./row.ts";

/** Permissions, questions, and the rules that answer them. */
export const askRows = {
  askMs: {
    unit: "milliseconds",
    default: null,
    spec: null,
    consequence:
      "The request is settled as cancelled, and the event says that nobody answered in time.",
  },
  asksOpen: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence: "The agent's next request is refused with rate-limited.",
  },
  asksRemembered: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence: "An answer to an older, settled request gets ask-not-found.",
  },
  askPaths: {
    unit: "count",
    default: 256,
    spec: 256,
    consequence: "No rule allows a call that names more files; a person is asked.",
  },
  rulesKept: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence: "A further rule is refused with invalid-params.",
  },
  rulesBytes: {
    unit: "bytes",
    default: 8 * 1_024 * 1_024,
    spec: 8 * 1_024 * 1_024,
    consequence: "The rules file is not read: it is moved aside and reported.",
  },
} as const satisfies Record<string, LimitRow>;
