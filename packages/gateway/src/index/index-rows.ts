import type { SessionSummary } from "@landline/protocol";
import type { AuditRow } from "./audit-rows.ts";
import type { CallRecord } from "./call-record.ts";
import type { PassageKind } from "./passage-table.ts";
import type { Snapshot } from "./snapshot-table.ts";

/** The rows of a run of events. Plain data, so that a failed write can be repeated. */
export interface IndexRows {
  /** The sequence number before the run. */
  readonly after: number;
  /** The session after the run; `head` is its last event. */
  readonly summary: SessionSummary;
  /** The agent's own id of the session. */
  readonly agentSessionId: string | null;
  readonly audit: readonly AuditRow[];
  readonly passages: readonly Passage[];
  /** By the keys of their items. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** The keys of messages that are not searchable yet, because they are unfinished. */
  readonly unfinished: readonly string[];
  readonly snapshot: Snapshot | null;
}

/** A searchable text. An empty text removes it. */
export interface Passage {
  /** Unique within its session. */
  readonly key: string;
  readonly kind: PassageKind;
  /** Its first event. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}
