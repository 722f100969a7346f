import {
  emptyView,
  foldWithChanges,
  trimView,
  type Change,
  type Limits,
  type SessionView,
} from "@landline/protocol";
import type { AnyEvent } from "./any-event.ts";
import type { Snapshot } from "./snapshot-table.ts";

/** A view during the fold, and the sequence number of its latest snapshot. */
export interface FoldState {
  readonly view: SessionView;
  readonly snapshotSeq: number;
}

/** The new state, the changes, and the latest snapshot made. */
export interface Folded {
  readonly foldState: FoldState;
  readonly changes: readonly Change[];
  readonly snapshot: Snapshot | null;
}

export const initialFoldState: FoldState = { view: emptyView(), snapshotSeq: 0 };

type FoldLimits = Pick<Limits, "snapshotEvents" | "snapshotItems">;

/**
 * Folds events and makes a snapshot at each multiple of `snapshotEvents`, and at the end of a turn after a quarter of
 * them, so the positions depend on the events alone. Folding continues from the trimmed snapshot itself, which bounds
 * memory and gives the same view as one read from the database.
 */
export function foldWithSnapshots(
  foldState: FoldState,
  events: readonly AnyEvent[],
  limits: FoldLimits,
): Folded {
  let { view, snapshotSeq } = foldState;
  let snapshot: Snapshot | null = null;
  const changes: Change[] = [];
  const foldPart = (from: number, to?: number) => {
    const folded = foldWithChanges(view, events.slice(from, to));
    changes.push(...folded.changes);
    return folded.view;
  };
  let from = 0;
  for (const [index, event] of events.entries()) {
    if (!isDue(event, snapshotSeq, limits)) continue;
    view = trimView(foldPart(from, index + 1), limits.snapshotItems);
    from = index + 1;
    snapshotSeq = event.seq;
    snapshot = { seq: event.seq, view };
  }
  view = foldPart(from);
  return { foldState: { view, snapshotSeq }, changes, snapshot };
}

function isDue({ seq, kind }: AnyEvent, snapshotSeq: number, limits: FoldLimits): boolean {
  const { snapshotEvents } = limits;
  if (seq % snapshotEvents === 0) return true;
  return kind === "turn-ended" && seq - snapshotSeq >= snapshotEvents / 4;
}
