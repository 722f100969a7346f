/** How well a name answers what was typed: 0 when a word of it is nowhere, 1 when each begins a word. */
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
