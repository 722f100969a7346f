import type { ToolCallItem } from "@landline/protocol";
import { changesOf } from "./call-changes.ts";
import { diffLibrary } from "./diff-library.ts";
import { diffModel, linesOf } from "./diff-model.ts";

export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

/** Cached by the content of a call, which keeps its identity while the rest changes. */
const counts = new WeakMap<object, LineCount | null>();

/** Undefined if it was not counted yet; null if it can't be known. */
export function knownCount(item: ToolCallItem): LineCount | null | undefined {
  return counts.get(keyOf(item));
}

export async function countOfItem(item: ToolCallItem): Promise<LineCount | null> {
  const known = knownCount(item);
  if (known !== undefined) return known;
  const count = await counted(item).catch(() => null);
  counts.set(keyOf(item), count);
  return count;
}

function keyOf(item: ToolCallItem): object {
  return item.content.length > 0 ? item.content : item;
}

const LONGEST = 300_000;

async function counted(item: ToolCallItem): Promise<LineCount | null> {
  let added = 0;
  let removed = 0;
  for (const { oldText, newText } of changesOf(item)) {
    if (typeof newText !== "string" || (oldText !== null && typeof oldText !== "string"))
      return null;
    if (newText.length + (oldText?.length ?? 0) > LONGEST) return null;
    if (oldText === null || oldText === "") {
      added += linesOf(newText).length;
    } else {
      const { structuredPatch } = await diffLibrary();
      const model = diffModel(structuredPatch, oldText, newText);
      added += model.added;
      removed += model.removed;
    }
  }
  return { added, removed };
}
