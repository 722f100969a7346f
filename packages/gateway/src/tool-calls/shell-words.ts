/** Words as one line that a shell reads back as these words: `bash -c 'a && b'` is one program with two arguments. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word, at) => (at === 0 && word.includes("=") ? quoted(word) : shellWord(word)))
    .join(" ");
}

/** Globs, `~` and `=name` are among what shells act on. */
function shellWord(word: string): string {
  return /^[\w./:@%+,-][\w./:@%+=,-]*$/.test(word) ? word : quoted(word);
}

/** In double quotes where that is easier to read. */
function quoted(word: string): string {
  if (!word.includes("'")) return `'${word}'`;
  return /["$`\\]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}
