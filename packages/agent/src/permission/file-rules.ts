import { quoted } from "@landline/sandbox/quoted-path";
import { matchesPattern, matchesWildcard, strictest } from "./evaluate.ts";
import type { Action, Policy, Rule } from "./rule.ts";

/** A file that a command reads or changes, or a folder whose files it does that to. */
export interface CommandFile {
  permission: "read" | "edit";
  /** Its name, and that of what links lead to. */
  patterns: readonly string[];
  isTree: boolean;
}

/** What a rule for files says about a file of a command. */
export interface FileFinding {
  action: Exclude<Action, "allow">;
  /** For people, as a clause. */
  reason: string;
}

/**
 * What rules for `read` and `edit` say about the files of a command. Without this, `cat` would read what the read tool
 * may not. A deny for all files takes a tool away and leaves commands alone.
 */
export function fileFindings({ sources }: Policy, files: readonly CommandFile[]): FileFinding[] {
  return files.flatMap((file) => {
    const actions = file.patterns.flatMap((name) =>
      sources.flatMap((rules) => actionFor(rules, name, file) ?? []),
    );
    const action = strictest(actions) ?? "allow";
    if (action === "allow") return [];
    const does = file.permission === "read" ? "reading" : "changing";
    return [{ action, reason: `a rule is about ${does} ${quoted(file.patterns[0] ?? "")}` }];
  });
}

/** Patterns for all tools that name no file: `mcp:may-change`. */
const isOther = /^[a-z-]{2,}:/;

/** The last rule of a source that is about the file decides. */
function actionFor(rules: readonly Rule[], name: string, file: CommandFile): Action | null {
  const { permission, isTree } = file;
  for (const { action, pattern, ...rule } of rules.toReversed()) {
    if (!matchesWildcard(rule.permission, permission) || isOther.test(pattern)) continue;
    if (pattern === "*") return action === "ask" && permission === "read" ? "ask" : null;
    if (matchesPattern(pattern, name)) return action === "default" ? null : action;
    // Only some of its files: the line may leave them alone.
    if (isTree && isBelow(pattern, name) && (action === "deny" || action === "ask")) return "ask";
  }
  return null;
}

/** Whether a pattern names something below a folder, or a folder that this one is in. */
function isBelow(pattern: string, folder: string): boolean {
  const named = pattern.replace(/[*?].*$/s, "");
  if (folder === ".") return !named.startsWith("/") && (named.includes("/") || named === pattern);
  const place = folder === "/" ? "/" : `${folder}/`;
  return named.startsWith(place) || (named.includes("/") && place.startsWith(named));
}
