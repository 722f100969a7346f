import type { LimitRow } from "./row.ts";

const KiB = 1_024;

/** Limits of views. `fold` also runs in clients, so these rows are separate and a page does not load the others. */
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
    consequence: "The oldest output of that terminal is omitted from the view; the log has it.",
    fixed: true,
  },
  terminalsKept: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "The text of the oldest terminal is omitted from the view; the log has it.",
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
    consequence: "The oldest plan with an id is omitted from the view; the log has it.",
    fixed: true,
  },
  itemsGrowing: {
    unit: "count",
    default: 16,
    spec: 16,
    consequence:
      "Only the last items that grew accept more chunks; a chunk for an older one starts another item.",
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
    consequence: "Older permission requests of the same call are omitted from its execution.",
    fixed: true,
  },
  callTerminalsKept: {
    unit: "count",
    default: 20,
    spec: 20,
    consequence: "The confinement of a call with more terminals is shown as not recorded.",
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
