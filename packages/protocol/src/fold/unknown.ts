import { viewRows } from "../limits/view.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, newItem } from "./thread.ts";
import type { Raw } from "../raw-value.ts";

const unknownUpdatesKept = viewRows.unknownUpdatesKept.default;

/** Keeps an unknown update or event unchanged as an item. Above the limit it is only counted. */
export function foldUnknown(
  draft: Draft,
  where: Where,
  unknown: { readonly of: "update" | "event"; readonly name: string; readonly value: Raw },
): void {
  draft.view.unknownCount += 1;
  if (draft.view.unknownCount > unknownUpdatesKept) return;
  appendItem(draft, where, { ...newItem(draft, "unknown"), ...unknown });
}
