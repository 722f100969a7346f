import type { Limits } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { foldOn, noFolding, type Folding } from "./folds.ts";
import { PendingLines } from "./pending-lines.ts";
import type { Snapshot } from "./snapshot-table.ts";

export interface Refolded {
  readonly folding: Folding;
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
  let folding = from && from.seq <= seq ? { view: from.view, snapshotSeq: from.seq } : noFolding;
  let snapshot: Snapshot | null = null;
  if (folding.view.head >= seq) return { folding, snapshot };
  for await (const chunk of log.read(folding.view.head)) {
    const lines = new PendingLines();
    lines.push(chunk);
    const { events } = lines.peek(Infinity, Infinity);
    const folded = foldOn(
      folding,
      events.filter((event) => event.seq <= seq),
      limits,
    );
    folding = folded.folding;
    snapshot = folded.snapshot ?? snapshot;
    if (chunk.last >= seq) break;
  }
  return { folding, snapshot };
}
