import { matchesWildcards } from "@landline/system/wildcards";

/**
 * `*` (within one name), `**` (any number of folders) and `?`. Not `path.matchesGlob`: that leaves out
 * names that start with a dot, which a rule about `**` must not, and takes minutes for `*a*a*a*a*a*a*a`.
 * Here a match takes at most the length of the path times that of the pattern.
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
