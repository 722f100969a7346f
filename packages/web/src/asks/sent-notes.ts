/**
 * Notes that went with a rejection from this page, by ask: shown where it was rejected. The log has such a note as
 * the prompt that it became, so another page, or this one after a reload, shows it there alone. The latest
 * `notesMost` are kept.
 */
const notesMost = 100;

const notes = new Map<string, string>();

export function keepNote(askId: string, note: string): void {
  notes.delete(askId);
  notes.set(askId, note);
  const [oldest] = notes.keys();
  if (notes.size > notesMost && oldest !== undefined) notes.delete(oldest);
}

export function dropNote(askId: string): void {
  notes.delete(askId);
}

export function noteOf(askId: string): string | null {
  return notes.get(askId) ?? null;
}
