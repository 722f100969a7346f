/** One line that a shell splits into these words again. */
export function shellLine(words: readonly string[]): string {
  // A first word with `=` would be an assignment.
  return words
    .map((word, at) => (at === 0 && word.includes("=") ? quoted(word) : shellWord(word)))
    .join(" ");
}

/** The word, quoted where a shell would read it differently. Globs, `~` and `=name` are quoted too. */
export function shellWord(word: string): string {
  return /^[\w./:@%+,-][\w./:@%+=,-]*$/.test(word) ? word : quoted(word);
}

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In double quotes where that is easier to read. `!` would expand the history of an interactive shell there. */
function quoted(word: string): string {
  return word.includes("'") && !/["$`\\!]/.test(word) ? `"${word}"` : singleQuoted(word);
}
