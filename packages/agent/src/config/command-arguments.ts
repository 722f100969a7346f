/** Splits like a shell: quotes group words and are removed. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']|["'])+/g)) {
    words.push(unquote(match[0]));
  }
  return words;
}

function unquote(word: string): string {
  return word.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
    (_whole, double?: string, single?: string) =>
      double === undefined ? (single ?? "") : double.replaceAll(/\\(.)/g, "$1"),
  );
}

/**
 * Exactly `count` values. The last takes the rest, because it is usually a sentence; missing ones are empty.
 */
export function assignArguments(text: string, count: number): string[] {
  if (count === 0) return [];
  const words = splitArguments(text);
  const values = Array.from({ length: count }, (_, index) => words[index] ?? "");
  if (words.length > count) values[count - 1] = words.slice(count - 1).join(" ");
  return values;
}
