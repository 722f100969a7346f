/** Cleans and bounds text of agents and clients for storage and search. */

// oxlint-disable-next-line no-control-regex -- control characters are what is being removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Replaces broken characters and control characters, which include the marks of search. Chunks and the whole text give
 * the same result.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(controls, " ");
}

/** At most `length` UTF-16 units, without half a character at the end. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const half = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, half ? length - 1 : length);
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|\p{Extended_Pictographic}/gu;

const seam = "\u200b";

/**
 * Scripts without spaces, and emoji, would match only as a whole run. An invisible separator around each of their
 * characters makes every part searchable.
 */
export function withSeams(text: string): string {
  return withoutSeams(text).replaceAll(unspaced, `${seam}$&${seam}`);
}

export function withoutSeams(text: string): string {
  return text.replaceAll(seam, "");
}

/**
 * Limits the characters of all strings in the value to `length`, and the number of entries accordingly. Marks what is
 * cut.
 */
export function clipDetail(value: Readonly<Record<string, unknown>>, length: number): string {
  const budget = { left: length, cut: false };
  const clipped = clipValue(value, budget, 0) as Record<string, unknown>;
  return JSON.stringify(budget.cut ? { ...clipped, truncated: true } : clipped);
}

const deepest = 8;

function clipValue(value: unknown, budget: { left: number; cut: boolean }, depth: number): unknown {
  if (typeof value === "string") {
    const clipped = clipText(cleanText(clipText(value, budget.left + 1)), budget.left);
    if (clipped.length < value.length) budget.cut = true;
    budget.left -= clipped.length;
    return clipped;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) {
    budget.cut = true;
    return null;
  }
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (!hasRoom(budget)) break;
      items.push(clipValue(item, budget, depth + 1));
    }
    return items;
  }
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) {
    budget.left -= name.length;
    if (!hasRoom(budget)) break;
    fields[name] = clipValue(field, budget, depth + 1);
  }
  return fields;
}

function hasRoom(budget: { left: number; cut: boolean }): boolean {
  budget.left -= 1;
  if (budget.left >= 0) return true;
  budget.left = 0;
  budget.cut = true;
  return false;
}
