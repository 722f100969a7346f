import type { CompactionItem } from "../view/item.ts";
import { appendBlock, blockOf, blocksOf } from "./content.ts";
import type { Draft, Mutable } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, findGrowing, newItem } from "./thread.ts";
import { arrayOf, patchedString, stringOf, type Raw } from "./value.ts";

/** The agent shortens its own memory: one item by id, its summary given whole or in chunks. */
export function foldCompaction(draft: Draft, where: Where, update: Raw): boolean {
  const item = compactionOf(draft, where, update);
  if (item === undefined) return false;
  item.status = stringOf(update["status"]) ?? item.status;
  item.error = patchedString(item.error, update["error"]);
  if (update["summary"] === null || arrayOf(update["summary"]) !== null) {
    item.summary = blocksOf(update["summary"]);
  }
  return true;
}

export function foldCompactionChunk(draft: Draft, where: Where, update: Raw): boolean {
  const block = blockOf(update["content"]);
  const item = block === null ? undefined : compactionOf(draft, where, update);
  if (block === null || item === undefined) return false;
  const summary = draft.list(item.summary);
  appendBlock(draft, summary, block);
  item.summary = summary;
  return true;
}

function compactionOf(
  draft: Draft,
  where: Where,
  update: Raw,
): Mutable<CompactionItem> | undefined {
  const compactionId = stringOf(update["compactionId"]);
  if (compactionId === null) return undefined;
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
