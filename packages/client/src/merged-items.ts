import type { Item } from "@landline/protocol";
import type { SessionSnapshot } from "./contract.ts";

/**
 * All loaded items, each once and in the order of their events. Open items at the start of a trimmed view move to
 * their original position when that part is loaded, in their current state.
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

/** The sequence number from which the loaded items have no gaps. */
export function knownFrom({ older, view }: Pick<SessionSnapshot, "older" | "view">): number {
  const oldest = older.find(({ items }) => items.length > 0)?.items[0];
  return oldest?.first ?? view?.trimmed?.before ?? 0;
}
