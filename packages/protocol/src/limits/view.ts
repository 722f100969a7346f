import type { LimitRow } from "./row.ts";

const KiB = 1_024;

/**
 * What a view keeps. `fold` runs wherever a session is looked at, so these rows stand apart from the rest, which
 * a page need not load.
 */
export const viewRows = {
  noiseLinesKept: {
    unit: "count",
    default: 20,
    spec: 20,
    consequence: "Later lines of the same burst are counted, not kept.",
  },
  terminalTextLength: {
    unit: "characters",
    default: 256 * KiB,
    spec: 256 * KiB,
    consequence: "The oldest output of that terminal is left out of the view; the log has it.",
    fixed: true,
  },
  terminalsKept: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "The text of the oldest terminal is left out of the view; the log has it.",
    fixed: true,
  },
  filesKept: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence: "Further files are counted in the view, not listed; the log has them.",
    fixed: true,
  },
  plansKept: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "The oldest plan with an id is left out of the view; the log has it.",
    fixed: true,
  },
  itemsGrowing: {
    unit: "count",
    default: 16,
    spec: 16,
    consequence:
      "A chunk for a message that grew before the latest so many of its thread starts another item.",
    fixed: true,
  },
  agentRunsKept: {
    unit: "count",
    default: 50,
    spec: 50,
    consequence:
      "How older calls were confined is shown as not recorded, where the agent's confinement changed more often.",
    fixed: true,
  },
  callDecisionsKept: {
    unit: "count",
    default: 20,
    spec: 20,
    consequence: "Older permission requests of the same call are left out of its execution.",
    fixed: true,
  },
  callTerminalsKept: {
    unit: "count",
    default: 20,
    spec: 20,
    consequence: "How a call that names more terminals was confined is shown as not recorded.",
    fixed: true,
  },
  unknownUpdatesKept: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "Only counted from then on; the log has them.",
    fixed: true,
  },
} as const satisfies Record<string, LimitRow>;
