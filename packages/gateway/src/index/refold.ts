import type { Limits } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { foldWithSnapshots, initialFoldState, type FoldState } from "./fold-with-snapshots.ts";
import { PendingLines } from "./pending-lines.ts";
import type { Snapshot } from "./snapshot-table.ts";

export interface Refolded {
  readonly foldState: FoldState;
  /** The latest snapshot made during the fold, or null. */
  readonly snapshot: Snapshot | null;
}

/** The view at event `seq`, folded from an earlier snapshot. */
export async function refold(
  log: ReadableLog,
  from: Snapshot | null,
  seq: number,
  limits: Limits,
): Promise<Refolded> {
  let foldState =
    from && from.seq <= seq ? { view: from.view, snapshotSeq: from.seq } : initialFoldState;
  let snapshot: Snapshot | null = null;
  if (foldState.view.head >= seq) return { foldState, snapshot };
  for await (const chunk of log.read(foldState.view.head)) {
    const lines = new PendingLines();
    lines.push(chunk);
    const every = limits.snapshotEvents;
    const { events } = lines.peek({ events: Infinity, bytes: Infinity, every, upTo: seq });
    const folded = foldWithSnapshots(foldState, events, limits);
    foldState = folded.foldState;
    snapshot = folded.snapshot ?? snapshot;
    if (chunk.last >= seq) break;
  }
  return { foldState, snapshot };
}
