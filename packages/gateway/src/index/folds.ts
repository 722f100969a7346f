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

/** A view on its way through the log, and where its latest snapshot was made. */
export interface Folding {
  readonly view: SessionView;
  readonly snapshotSeq: number;
}

/** How far it is now, what changed, and the latest snapshot that was made on the way. */
export interface Folded {
  readonly folding: Folding;
  readonly changes: readonly Change[];
  readonly snapshot: Snapshot | null;
}

export const noFolding: Folding = { view: emptyView(), snapshotSeq: 0 };

type FoldLimits = Pick<Limits, "snapshotEvents" | "snapshotItems">;

/**
 * Folds on, and makes a snapshot after every `snapshotEvents` events, and at the end of a turn after a
 * quarter of them. Where snapshots are made depends on the events alone. What goes on from a snapshot is
 * the snapshot itself, trimmed as it is: so a view that went through the database folds on the same, and
 * the memory that a long session takes stays bounded.
 */
export function foldOn(folding: Folding, events: readonly AnyEvent[], limits: FoldLimits): Folded {
  let { view, snapshotSeq } = folding;
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
  return { folding: { view, snapshotSeq }, changes, snapshot };
}

function isDue({ seq, kind }: AnyEvent, snapshotSeq: number, limits: FoldLimits): boolean {
  const passed = seq - snapshotSeq;
  const wanted = kind === "turn-ended" ? limits.snapshotEvents / 4 : limits.snapshotEvents;
  return passed >= wanted;
}
