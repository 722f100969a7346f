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
    consequence: "A prompt with an id older than that is taken for a new one.",
  },
  choicesKept: {
    unit: "count",
    default: 8,
    spec: 8,
    consequence: "An older choice with an agent is not made again in the next conversation.",
  },
  cancelRequestMs: {
    unit: "milliseconds",
    default: 5 * SECOND,
    spec: 5 * SECOND,
    consequence: "The second rung of the cancel ladder: the prompt request itself is withdrawn.",
  },
  cancelRestartMs: {
    unit: "milliseconds",
    default: 10 * SECOND,
    spec: 10 * SECOND,
    consequence:
      "The third rung of the cancel ladder: the agent is ended, and started again by the next prompt.",
  },
  replayQuietMs: {
    unit: "milliseconds",
    default: 250,
    spec: 250,
    consequence:
      "An agent that has said nothing for so long after a load has no more history to play back.",
  },
  earlyUpdates: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence:
      "What an agent says before its session is open is written to the log before its start is.",
  },
  transcriptLength: {
    unit: "characters",
    default: 200_000,
    spec: 200_000,
    consequence:
      "The oldest part of the conversation is left out of what a new agent session is given.",
  },
  logRetryMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence:
      "What could not be written to the log is tried again; the agent is not read from until it is.",
  },
  listWaitMs: {
    unit: "milliseconds",
    default: 2 * SECOND,
    spec: 2 * SECOND,
    consequence: "A list is answered from a database that has not caught up with the logs.",
  },
  viewBytes: {
    unit: "bytes",
    default: 8 * 1_024 * 1_024,
    spec: 8 * 1_024 * 1_024,
    consequence:
      "Older items are left out of the view, and long texts are cut; the events have them.",
  },
  foldsAtOnce: {
    unit: "count",
    default: 4,
    spec: 4,
    consequence: "Further views are made when one of these is done.",
  },
  dormantSessionsKept: {
    unit: "count",
    default: 500,
    spec: 500,
    consequence:
      "The session without an agent that was used least recently is forgotten until it is asked for.",
  },
} as const satisfies Record<string, LimitRow>;
