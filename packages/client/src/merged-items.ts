import type { Item } from "@landline/protocol";
import type { SessionSnapshot } from "./contract.ts";

/**
 * All items that are loaded, each once and in the order of their events. A view that begins in the middle has
 * what is open before the rest: where the part is loaded in which that began, it stands there, as it is now.
 */
export function itemsOf({ older, view }: Pick<SessionSnapshot, "older" | "view">): readonly Item[] {
  if (!view) return [];
  if (older.length === 0) return view.items;
  const { items, trimmed } = view;
  const found = items.findIndex(({ first }) => first >= (trimmed?.before ?? 0));
  const start = found === -1 ? items.length : found;
  const ahead = new Map(items.slice(0, start).map((item) => [item.key, item]));
  const placed = older.flatMap((part) =>
    part.items.map((item) => {
      const latest = ahead.get(item.key);
      ahead.delete(item.key);
      return latest ?? item;
    }),
  );
  return [...ahead.values(), ...placed, ...items.slice(start)];
}

/** The event from which on nothing is missing between the items. */
export function knownFrom({ older, view }: Pick<SessionSnapshot, "older" | "view">): number {
  const oldest = older.find(({ items }) => items.length > 0)?.items[0];
  return oldest?.first ?? view?.trimmed?.before ?? 0;
}
