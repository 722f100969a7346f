import { agentRows } from "./limits/agents.ts";
import { askRows } from "./limits/permissions.ts";
import { commandFieldRows } from "./limits/command-fields.ts";
import { commandLineRows } from "./limits/command-line.ts";
import { sessionRows } from "./limits/sessions.ts";
import { serverRows } from "./limits/server.ts";
import { acpClientRows } from "./limits/acp-client.ts";
import { telemetryRows } from "./limits/telemetry.ts";
import { checkOverride } from "./limits/override.ts";
import type { LimitRow } from "./limits/row.ts";
import { socketRows } from "./limits/sockets.ts";
import { viewRows } from "./limits/view.ts";

const KB = 1_000;
const MB = 1_000_000;
const KiB = 1_024;
const MiB = 1_024 * KiB;
const SECOND = 1_000;

const softSize = {
  default: "Passed on, with one error event per session; lineBytes is the hard limit.",
  spec: "A request is refused with message-too-large; an update is passed on and marked by an error event.",
} as const;

const clientRate = {
  default: "Refused with rate-limited and retryAfterMs, once the burst is used up.",
  spec: "Refused with rate-limited and retryAfterMs.",
} as const;

const agentRate = {
  default: "No limit.",
  spec: "The agent is delayed by back-pressure; nothing is refused or dropped.",
} as const;

/**
 * The bounds of every queue, buffer, wait and retry, with unit and consequence. `spec` is the table of seed 003; a
 * row that the seed does not have uses the default. `null` means no limit. KB and MB of the seed are powers of 1000.
 */
const limitRows = {
  // The wire between the gateway and an agent.
  lineBytes: {
    unit: "bytes",
    default: 32 * MiB,
    spec: 32 * MiB,
    consequence:
      "The line is skipped and counted as noise; a request in it is answered with message-too-large.",
  },
  requestIdLength: {
    unit: "characters",
    default: 1_024,
    spec: 1_024,
    consequence: "The request is refused with invalid-params and a null id.",
  },
  noiseLineLength: {
    unit: "characters",
    default: 500,
    spec: 500,
    consequence: "The rest of the line is left out of the agent-noise event.",
  },
  noiseWindowMs: {
    unit: "milliseconds",
    default: 10 * SECOND,
    spec: 10 * SECOND,
    consequence: "Noise within the window after a report goes into the next report.",
  },
  agentTurnBytes: {
    unit: "bytes",
    default: 128 * KiB,
    spec: 128 * KiB,
    consequence: "The rest of an agent's output is read after that of all other agents.",
  },
  agentOutboxBytes: {
    unit: "bytes",
    default: 1 * MiB,
    spec: 1 * MiB,
    consequence: "Reading from the agent pauses until it has read its pending input.",
  },
  agentOutboxBytesMax: {
    unit: "bytes",
    default: 128 * MiB,
    spec: 128 * MiB,
    consequence: "A further message to the agent fails with agent-not-reading.",
  },
  agentRequestsOpen: {
    unit: "count",
    default: 1_024,
    spec: 1_024,
    consequence: "Reading from the agent pauses until one of its requests is answered.",
  },
  callsOpen: {
    unit: "count",
    default: 1_024,
    spec: 1_024,
    consequence: "A further request to the agent fails with agent-not-reading.",
  },
  errorRepliesPerMinute: {
    unit: "per minute",
    default: 600,
    spec: 600,
    consequence:
      "Further error replies on that connection are delayed until the minute has passed; an agent for which agentRequestsOpen of them wait is not read meanwhile.",
  },
  stderrBytes: {
    unit: "bytes",
    default: 64 * KiB,
    spec: 64 * KiB,
    consequence: "The oldest bytes of the agent's stderr are dropped.",
  },

  // Sizes of seed 003.
  initializeBytes: { unit: "bytes", default: 10 * KB, spec: 10 * KB, consequence: softSize },
  sessionNewBytes: { unit: "bytes", default: 50 * KB, spec: 50 * KB, consequence: softSize },
  promptBytes: { unit: "bytes", default: 1 * MB, spec: 1 * MB, consequence: softSize },
  updateBytes: { unit: "bytes", default: 100 * KB, spec: 100 * KB, consequence: softSize },
  fileBytes: {
    unit: "bytes",
    default: 10 * MB,
    spec: 10 * MB,
    consequence: "Refused with file-too-large.",
  },

  // Rates of seed 003, per session.
  promptsPerMinute: { unit: "per minute", default: 120, spec: 10, consequence: clientRate },
  fileReadsPerMinute: { unit: "per minute", default: null, spec: 100, consequence: agentRate },
  fileWritesPerMinute: { unit: "per minute", default: null, spec: 50, consequence: agentRate },
  updatesPerMinute: { unit: "per minute", default: null, spec: 1_000, consequence: agentRate },

  // Time-outs of seed 003.
  initializeMs: {
    unit: "milliseconds",
    default: 30 * SECOND,
    spec: 30 * SECOND,
    consequence: "The start fails with timeout; not tried again.",
  },
  sessionNewMs: {
    unit: "milliseconds",
    default: 60 * SECOND,
    spec: 60 * SECOND,
    consequence: "Opening or loading fails with timeout; not tried again.",
  },
  promptMs: {
    unit: "milliseconds",
    default: null,
    spec: 300 * SECOND,
    consequence: "The turn is cancelled and ends with timeout; not tried again.",
  },
  fileReadMs: {
    unit: "milliseconds",
    default: 30 * SECOND,
    spec: 30 * SECOND,
    consequence:
      "An editor that has not answered is not asked again, and the disk is used. A disk that takes longer: timeout.",
  },
  fileWriteMs: {
    unit: "milliseconds",
    default: 60 * SECOND,
    spec: 60 * SECOND,
    consequence:
      "An editor that has not answered is not asked again, and the disk is used. A disk that takes longer: timeout.",
  },
  turnIdleMs: {
    unit: "milliseconds",
    default: 300 * SECOND,
    spec: 300 * SECOND,
    consequence: "The turn is marked stalled and a stronger cancel is offered; nothing is ended.",
  },

  // The log.
  segmentBytes: {
    unit: "bytes",
    default: 16 * MiB,
    spec: 16 * MiB,
    consequence: "The next event opens a new segment.",
  },
  blobBytes: {
    unit: "bytes",
    default: 256 * KiB,
    spec: 256 * KiB,
    consequence: "The string is stored as a blob, and the event refers to it.",
  },
  readBytes: {
    unit: "bytes",
    default: 256 * KiB,
    spec: 256 * KiB,
    consequence: "The rest is read in the next step, after other work.",
  },
  sharedReadBytes: {
    unit: "bytes",
    default: 4 * MiB,
    spec: 4 * MiB,
    consequence: "The oldest entries are evicted and read again when needed.",
  },
  pageEvents: {
    unit: "events",
    default: 1_000,
    spec: 1_000,
    consequence: "The rest is on the next page.",
  },
  pageBytes: {
    unit: "bytes",
    default: 4 * MiB,
    spec: 4 * MiB,
    consequence: "The page is shorter: its oldest events are on the next one.",
  },
  syncDelayMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence:
      "Written data is synced to the disk (with durability process; disk syncs immediately).",
  },
  indexEvents: {
    unit: "events",
    default: 1_024,
    spec: 1_024,
    consequence: "An entry of the index from sequence number to offset is written.",
  },
  logsOpen: {
    unit: "count",
    default: 256,
    spec: 256,
    consequence: "The least recently used log file is closed until it is needed again.",
  },

  // What is derived from it.
  snapshotEvents: {
    unit: "events",
    default: 2_000,
    spec: 2_000,
    consequence: "A snapshot of the view is stored.",
  },
  snapshotItems: {
    unit: "count",
    default: 100,
    spec: 100,
    consequence: "Older items are omitted from the snapshot and read in pages.",
  },
  deriveDelayMs: {
    unit: "milliseconds",
    default: 250,
    spec: 250,
    consequence: "After this time without events, new events are applied to the database.",
  },
  deriveDelayMsMax: {
    unit: "milliseconds",
    default: 2 * SECOND,
    spec: 2 * SECOND,
    consequence: "New events are applied to the database although more are arriving.",
  },
  searchTextLength: {
    unit: "characters",
    default: 20_000,
    spec: 20_000,
    consequence: "The rest of the text is not searchable.",
  },
  searchQueryLength: {
    unit: "characters",
    default: 1_000,
    spec: 1_000,
    consequence: "The rest of the query is ignored.",
  },
  pageRows: {
    unit: "count",
    default: 1_000,
    spec: 1_000,
    consequence: "The rest of the list is on the next page.",
  },
  deriveBatchEvents: {
    unit: "events",
    default: 1_000,
    spec: 1_000,
    consequence: "The rest is applied in the next transaction, after other work.",
  },
  deriveBatchBytes: {
    unit: "bytes",
    default: 1 * MiB,
    spec: 1 * MiB,
    consequence: "The rest is applied in the next transaction, after other work.",
  },
  eraseBatchRows: {
    unit: "count",
    default: 8,
    spec: 8,
    consequence: "The rest of a deleted session's texts is erased after other work.",
  },
  deriveHeldBytes: {
    unit: "bytes",
    default: 8 * MiB,
    spec: 8 * MiB,
    consequence:
      "Buffered events are applied immediately; the rest is read from the log afterwards.",
  },
  deriveRetryMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence: "A database that failed is tried again; the wait doubles up to deriveRetryMsMax.",
  },
  deriveRetryMsMax: {
    unit: "milliseconds",
    default: 60 * SECOND,
    spec: 60 * SECOND,
    consequence: "The delay between attempts to use a failed database grows no further.",
  },
  deriveCloseMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence: "At shutdown, the indexing thread is terminated. The next start resumes there.",
  },
  databaseBusyMs: {
    unit: "milliseconds",
    default: 5 * SECOND,
    spec: 5 * SECOND,
    consequence: "A database that another process holds fails with folder-locked.",
  },
  databaseBytes: {
    unit: "bytes",
    default: null,
    spec: null,
    consequence: "Indexing stops (disk-full) until sessions are deleted; logs are still written.",
  },

  ...viewRows,

  // Clients of the server.
  clientUnsentBytes: {
    unit: "bytes",
    default: 1 * MiB,
    spec: 1 * MiB,
    consequence: "Live writes to that client stop; it catches up from the log when it drains.",
  },

  ...agentRows,
  ...serverRows,
  ...socketRows,

  ...acpClientRows,
  ...sessionRows,
  ...askRows,
  ...telemetryRows,
  ...commandFieldRows,
  ...commandLineRows,
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof limitRows;
export type LimitsProfile = "default" | "spec";

/** Rows without a limit in some profile are `number | null`; all others are numbers. */
export type Limits = {
  readonly [Name in LimitName]: null extends
    | (typeof limitRows)[Name]["default"]
    | (typeof limitRows)[Name]["spec"]
    ? number | null
    : number;
};

export const limitNames = Object.keys(limitRows) as readonly LimitName[];

type FixedName = {
  [Name in LimitName]: (typeof limitRows)[Name] extends { readonly fixed: true } ? Name : never;
}[LimitName];

/** The limits that a config can change. */
export type LimitOverrides = Partial<Omit<Limits, FixedName>>;

export function limitRow(name: LimitName): LimitRow {
  return limitRows[name];
}

/** The consequence under the profile. */
export function limitConsequence(name: LimitName, profile: LimitsProfile): string {
  const { consequence } = limitRow(name);
  return typeof consequence === "string" ? consequence : consequence[profile];
}

export function limitsOf(profile: LimitsProfile, overrides: LimitOverrides = {}): Limits {
  const chosen: Record<string, number | null> = Object.fromEntries(
    limitNames.map((name) => [name, limitRow(name)[profile]]),
  );
  for (const [name, value] of Object.entries(overrides)) {
    checkOverride(
      name,
      Object.hasOwn(limitRows, name) ? limitRows[name as LimitName] : undefined,
      value,
    );
    chosen[name] = value;
  }
  return chosen as Limits;
}
