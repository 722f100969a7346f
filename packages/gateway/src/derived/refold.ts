import type { Limits } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { foldOn, noFolding, type Folded } from "./folds.ts";
import { HeldLines } from "./held-lines.ts";
import type { Snapshot } from "./snapshot-table.ts";

/**
 * The view at event `seq`, folded from the snapshot and what the log has after it. Comes with a further
 * snapshot where one was due on the way.
 */
export async function refold(
  log: SessionLog,
  from: Snapshot | null,
  seq: number,
  limits: Limits,
): Promise<Folded> {
  const start = from && from.seq <= seq ? { view: from.view, snapshotSeq: from.seq } : noFolding;
  let folded: Folded = { folding: start, snapshot: null };
  if (start.view.head >= seq) return folded;
  for await (const chunk of log.read(start.view.head)) {
    const lines = new HeldLines();
    lines.push(chunk);
    const { events } = lines.peek(Infinity, Infinity);
    const wanted = events.filter((event) => event.seq <= seq);
    const next = foldOn(folded.folding, wanted, limits);
    folded = { folding: next.folding, snapshot: next.snapshot ?? folded.snapshot };
    if (chunk.last >= seq) break;
  }
  return folded;
}
