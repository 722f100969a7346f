import type { SessionSummary } from "@landline/protocol";
import type { AuditRow } from "./audit-rows.ts";
import type { CallRecord } from "./call-record.ts";
import type { PassageKind } from "./passage-table.ts";
import type { Snapshot } from "./snapshot-table.ts";

/** What a run of events puts into the tables. Plain data: after a failure it is written again as it is. */
export interface IndexRows {
  /** The number of the event before the run. */
  readonly after: number;
  /** The session after the run; `head` is its last event. */
  readonly summary: SessionSummary;
  readonly audit: readonly AuditRow[];
  readonly passages: readonly Passage[];
  /** By the keys of their items. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** The keys of messages that are not in the search yet, because they are still being written. */
  readonly unfinished: readonly string[];
  readonly snapshot: Snapshot | null;
}

/** Something that can be searched for. An empty text takes it out. */
export interface Passage {
  /** Its name inside its session. */
  readonly key: string;
  readonly kind: PassageKind;
  /** The event that began it. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}
