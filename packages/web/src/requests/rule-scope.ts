import type { NewRule, RuleSuggestion } from "@landline/client";

export type RuleScope = NewRule["where"]["in"];

export interface Here {
  readonly sessionId: string;
  readonly folder: string;
}

/** The narrowest first. */
export function ruleScopes(
  folder: string,
): readonly { readonly place: RuleScope; readonly words: string }[] {
  return [
    { place: "session", words: "In this session" },
    { place: "project", words: folder === "" ? "In this project" : `In this project (${folder})` },
    { place: "everywhere", words: "Everywhere" },
  ];
}

/** The suggested rule, with another scope if one was chosen. */
export function ruleWithScope(
  rule: NewRule,
  place: RuleScope | null,
  { sessionId, folder }: Here,
): NewRule {
  if (place === null || place === rule.where.in) return rule;
  return { ...rule, where: whereOf(place, sessionId, folder) };
}

function whereOf(place: RuleScope, sessionId: string, folder: string): NewRule["where"] {
  if (place === "session") return { in: "session", sessionId };
  return place === "project" ? { in: "project", folder } : { in: "everywhere" };
}

/** Each subject once, with its narrowest scope: the scope is chosen separately. */
export function distinctRules(suggestions: readonly RuleSuggestion[]): readonly RuleSuggestion[] {
  const seen = new Set<string>();
  return suggestions.filter(({ rule }) => {
    const what = ruleSubjectText(rule);
    if (seen.has(what)) return false;
    seen.add(what);
    return true;
  });
}

const kinds: Readonly<Record<string, string>> = {
  execute: "Every command",
  edit: "Every change of a file",
  read: "Every reading of a file",
  delete: "Every deletion",
  move: "Every move",
  search: "Every search",
  fetch: "Every fetch",
};

/** What the rule allows, without its scope. */
export function ruleSubjectText({ what }: NewRule): string {
  const { commandPrefix, onlyReads, pathGlob, host, toolKind, toolName, agent } = what;
  const subject = onlyReads
    ? "Commands that only read files of the project"
    : commandPrefix !== undefined
      ? `Commands that start with “${commandPrefix}”`
      : (toolKind && (kinds[toolKind] ?? `Every call of the kind “${toolKind}”`)) ||
        (toolName === undefined ? "Everything" : `Every call of “${toolName}”`);
  // A single file is the object of the change; a pattern is a location.
  const isOneFile = pathGlob !== undefined && toolKind !== undefined && !/[*?[{]/u.test(pathGlob);
  return [
    isOneFile ? subject.replace(/ of a file$/u, "") : subject,
    pathGlob === undefined ? null : `${isOneFile ? "of" : "in"} ${pathGlob}`,
    host === undefined ? null : `from ${host}`,
    toolName === undefined || subject.includes(toolName) ? null : `by “${toolName}”`,
    agent === undefined ? null : `of the agent “${agent}”`,
  ]
    .filter((part) => part !== null)
    .join(" ");
}
