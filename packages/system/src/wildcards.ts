/**
 * Whether a pattern matches all items. A wildcard matches any run of items. At a mismatch, the last wildcard takes one
 * more item, so the time is at most the product of both lengths; a regular expression may take exponential time.
 */
export function matchesWildcards(
  pattern: number,
  items: number,
  isWildcard: (part: number) => boolean,
  matches: (part: number, item: number) => boolean,
): boolean {
  let [part, item, wildcard, resumeAt] = [0, 0, -1, 0];
  while (item < items) {
    if (part < pattern && isWildcard(part)) {
      wildcard = part;
      resumeAt = item;
      part += 1;
    } else if (part < pattern && matches(part, item)) {
      part += 1;
      item += 1;
    } else if (wildcard >= 0) {
      part = wildcard + 1;
      resumeAt += 1;
      item = resumeAt;
    } else return false;
  }
  while (part < pattern && isWildcard(part)) part += 1;
  return part === pattern;
}
