import type { Limits } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { foldOn, noFolding } from "./folds.ts";
import { HeldLines } from "./held-lines.ts";
import type { Snapshot } from "./snapshot-table.ts";

/** The latest snapshot that falls on an event up to `seq`, folded on from an earlier one; null when none does. */
export async function refold(
  log: ReadableLog,
  from: Snapshot | null,
  seq: number,
  limits: Limits,
): Promise<Snapshot | null> {
  let folding = from && from.seq <= seq ? { view: from.view, snapshotSeq: from.seq } : noFolding;
  let latest: Snapshot | null = null;
  if (folding.view.head >= seq) return latest;
  for await (const chunk of log.read(folding.view.head)) {
    const lines = new HeldLines();
    lines.push(chunk);
    const { events } = lines.peek(Infinity, Infinity);
    const folded = foldOn(
      folding,
      events.filter((event) => event.seq <= seq),
      limits,
    );
    folding = folded.folding;
    latest = folded.snapshot ?? latest;
    if (chunk.last >= seq) break;
  }
  return latest;
}
