import type { LimitRow } from "./row.ts";

const SECOND = 1_000;

/** The bounds of sessions: turns, queues, restarts. */
export const sessionRows = {
  promptsQueued: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "A further prompt is refused with session-locked until one has had its turn.",
  },
  promptIdsKept: {
    unit: "count",
    default: 10_000,
    spec: 10_000,
    consequence: "A prompt with an older id counts as a new prompt.",
  },
  choicesKept: {
    unit: "count",
    default: 8,
    spec: 8,
    consequence: "Older choices for an agent are not applied to new sessions.",
  },
  cancelRequestMs: {
    unit: "milliseconds",
    default: 5 * SECOND,
    spec: 5 * SECOND,
    consequence: "The second step of a cancel: the prompt request itself is withdrawn.",
  },
  cancelRestartMs: {
    unit: "milliseconds",
    default: 10 * SECOND,
    spec: 10 * SECOND,
    consequence: "The third step of a cancel: the agent is ended; the next prompt starts it again.",
  },
  replayQuietMs: {
    unit: "milliseconds",
    default: 250,
    spec: 250,
    consequence: "After this silence following a load, the replay of history counts as complete.",
  },
  earlyUpdates: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence:
      "Buffered updates from before the session is open are written to the log before its start.",
  },
  transcriptLength: {
    unit: "characters",
    default: 200_000,
    spec: 200_000,
    consequence:
      "The oldest part of the conversation is omitted from the history that a new agent session receives.",
  },
  logRetryMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence:
      "A failed write to the log is tried again; reading from the agent pauses meanwhile.",
  },
  listWaitMs: {
    unit: "milliseconds",
    default: 2 * SECOND,
    spec: 2 * SECOND,
    consequence: "A list is read from the index although it has not caught up with the logs.",
  },
  viewBytes: {
    unit: "bytes",
    default: 8 * 1_024 * 1_024,
    spec: 8 * 1_024 * 1_024,
    consequence:
      "Older items are omitted from the view, and long texts are cut; the events have them.",
  },
  foldsAtOnce: {
    unit: "count",
    default: 4,
    spec: 4,
    consequence: "Further views wait until one of these is done.",
  },
  retentionCheckMs: {
    unit: "milliseconds",
    default: 3_600_000,
    spec: 3_600_000,
    consequence: "After this time, sessions that exceed the retention policy are deleted again.",
  },
  dormantSessionsKept: {
    unit: "count",
    default: 500,
    spec: 500,
    consequence: "The least recently used session without an agent is unloaded until it is needed.",
  },
} as const satisfies Record<string, LimitRow>;
