import type { Item, SessionView } from "@landline/protocol";

/** Items are immutable, and a view shares most of them with the previous one. */
const lengths = new WeakMap<Item, number>();

/** The approximate length of a view as JSON: the characters of its items. */
export function viewLength({ items, subagents }: SessionView): number {
  let length = 0;
  for (const item of items) length += lengthOf(item);
  for (const subagent of subagents) for (const item of subagent.items) length += lengthOf(item);
  return length;
}

function lengthOf(item: Item): number {
  const known = lengths.get(item);
  if (known !== undefined) return known;
  const length = textLength(item);
  lengths.set(item, length);
  return length;
}

/** The length of a value as JSON, without serializing it. */
function textLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let length = 2;
  for (const [name, part] of Object.entries(value)) length += name.length + 4 + textLength(part);
  return length;
}
