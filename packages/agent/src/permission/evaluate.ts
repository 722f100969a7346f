import type { Rule } from "./rule.ts";

/** The last rule that matches decides; where none does, a person is asked. */
export function evaluate(
  rules: readonly Rule[],
  permission: string,
  pattern: string,
): Rule["action"] {
  return matchingAction(rules, permission, pattern) ?? "ask";
}

/** What the last rule that matches says; null when none does. */
export function matchingAction(
  rules: readonly Rule[],
  permission: string,
  pattern: string,
): Rule["action"] | null {
  const rule = rules.findLast(
    (candidate) =>
      matchesWildcard(candidate.permission, permission) &&
      matchesPattern(candidate.pattern, pattern),
  );
  return rule?.action ?? null;
}

/** True when no input at all could be allowed, so that the model need not see the tool. */
export function isOff(rules: readonly Rule[], permission: string): boolean {
  const last = rules.findLastIndex(
    (rule) => matchesWildcard(rule.permission, permission) && rule.pattern === "*",
  );
  if (last === -1 || rules[last]?.action !== "deny") return false;
  return !rules
    .slice(last + 1)
    .some((rule) => rule.action !== "deny" && matchesWildcard(rule.permission, permission));
}

/** `git log *` is meant to match `git log` too. */
function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matchesWildcard(pattern.slice(0, -2), text)) return true;
  return matchesWildcard(pattern, text);
}

/**
 * `*` is any run of characters, `?` one. By hand and not by a regular expression, because patterns come
 * from project files: this never takes longer than pattern times text.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      star = inPattern;
      starAt = at;
      inPattern += 1;
    } else if (wanted === "?" || wanted === text[at]) {
      inPattern += 1;
      at += 1;
    } else if (star !== -1) {
      starAt += 1;
      at = starAt;
      inPattern = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === "*") inPattern += 1;
  return inPattern === pattern.length;
}
