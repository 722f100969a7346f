import { matchesWildcards } from "@landline/system/wildcards";

/**
 * Supports `*` (within one name), `**` (any number of folders) and `?`. `path.matchesGlob` skips names that start with
 * a dot, which a rule about `**` must match, and takes minutes for `*a*a*a*a*a*a*a`. This takes at most the length of
 * the path times that of the pattern.
 */
export function matchesGlob(path: string, pattern: string): boolean {
  const [names, parts] = [path.split("/"), pattern.split("/")];
  return matchesWildcards(
    parts.length,
    names.length,
    (part) => parts[part] === "**",
    (part, item) => matchesName(names[item] ?? "", parts[part] ?? ""),
  );
}

function matchesName(name: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return name === pattern;
  return matchesWildcards(
    pattern.length,
    name.length,
    (part) => pattern[part] === "*",
    (part, item) => pattern[part] === "?" || pattern[part] === name[item],
  );
}
