import type { CompactionReading } from "../update-reading.ts";
import type { Block, CompactionItem } from "../view/item.ts";
import { appendBlock } from "./content.ts";
import type { Draft, Mutable } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, findGrowing, newItem } from "./thread.ts";

/** Adds one item per compaction id. The summary arrives whole or in chunks. */
export function foldCompaction(
  draft: Draft,
  where: Where,
  { compactionId, status, error, summary }: CompactionReading,
): void {
  const item = compactionWith(draft, where, compactionId);
  if (item === undefined) return;
  if (status !== null) item.status = status;
  if (error !== undefined) item.error = error;
  if (summary !== undefined) item.summary = summary;
}

export function foldCompactionChunk(
  draft: Draft,
  where: Where,
  { compactionId, block }: { readonly compactionId: string; readonly block: Block },
): void {
  const item = compactionWith(draft, where, compactionId);
  if (item === undefined) return;
  const summary = draft.list(item.summary);
  appendBlock(draft, summary, block);
  item.summary = summary;
}

function compactionWith(
  draft: Draft,
  where: Where,
  compactionId: string,
): Mutable<CompactionItem> | undefined {
  const position =
    findGrowing(draft, where, "compaction", `compaction ${compactionId}`) ??
    appendItem(draft, where, {
      ...newItem(draft, "compaction"),
      compactionId,
      status: "in_progress",
      summary: [],
      error: null,
    });
  return changeItem(draft, where, position, "compaction");
}
