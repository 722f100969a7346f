/** How well a name matches the query: 0 if a word is missing, 1 if each word is at the start of a word. */
export function matchScore(name: string, typed: string): number {
  const text = ` ${name.toLowerCase()}`;
  const scores = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const at = text.indexOf(word);
      if (at < 0) return 0;
      return /[\s/~._-]/.test(text.charAt(at - 1)) ? 1 : 0.5;
    });
  return Math.min(1, ...scores);
}
