/**
 * `*` (within one name), `**` (any number of folders) and `?`. Not `path.matchesGlob`: that leaves out
 * names that start with a dot, which a rule about `**` must not, and takes minutes for `*a*a*a*a*a*a*a`.
 * Here a match takes at most the length of the path times that of the pattern.
 */
export function matchesGlob(path: string, pattern: string): boolean {
  return matchesParts(path.split("/"), pattern.split("/"), "**", matchesName);
}

function matchesName(name: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return name === pattern;
  return matchesParts(
    name.split(""),
    pattern.split(""),
    "*",
    (one, part) => part === "?" || one === part,
  );
}

/** The classic walk: at a mismatch, the last wild part takes one more. */
function matchesParts(
  parts: readonly string[],
  pattern: readonly string[],
  wild: string,
  matches: (part: string, pattern: string) => boolean,
): boolean {
  let [at, inPattern, wildAt, resumeAt] = [0, 0, -1, 0];
  while (at < parts.length) {
    const [part = "", wanted] = [parts[at], pattern[inPattern]];
    if (wanted === wild) {
      wildAt = inPattern;
      resumeAt = at;
      inPattern += 1;
    } else if (wanted !== undefined && matches(part, wanted)) {
      at += 1;
      inPattern += 1;
    } else if (wildAt >= 0) {
      inPattern = wildAt + 1;
      resumeAt += 1;
      at = resumeAt;
    } else {
      return false;
    }
  }
  return pattern.slice(inPattern).every((part) => part === wild);
}
