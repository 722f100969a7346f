import type { Language } from "./languages.ts";

const longestLength = 200_000;
const longestLines = 2_000;

/** Highlighting a longer text would cost too much. */
export function isTooLong(text: string): boolean {
  if (text.length > longestLength) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines > longestLines) return true;
  }
  return false;
}

const keptLength = 1_000_000;

/** Recently highlighted code, so that it is shown with its colours at once. */
export class HighlightCache<Value> {
  #length = 0;
  readonly #values = new Map<string, Value>();

  get(language: Language, text: string): Value | null {
    const key = keyOf(language, text);
    const value = this.#values.get(key);
    if (value === undefined) return null;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  add(language: Language, text: string, value: Value): void {
    const key = keyOf(language, text);
    if (!this.#values.has(key)) this.#length += key.length;
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#length <= keptLength) break;
      this.#values.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}

function keyOf(language: Language, text: string): string {
  return `${language}\n${text}`;
}
