const comparedCharacters = 1_024;

/** The part of `now` after the end of `before`, even if the start was cut off in between. */
export function addedText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-comparedCharacters);
  const at = now.lastIndexOf(end);
  return at === -1 ? now : now.slice(at + end.length);
}
