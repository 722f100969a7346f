import { quoted } from "@landline/sandbox/quoted-path";
import { matchesPattern, matchesWildcard, strictest } from "./evaluate.ts";
import type { Action, Policy, Rule } from "./rule.ts";

/** A file or folder that a command reads or changes. */
export interface CommandFile {
  permission: "read" | "edit";
  /** Its name, and that of its link target. */
  patterns: readonly string[];
  isTree: boolean;
}

/** The result of file rules for a file of a command. */
export interface FileFinding {
  action: Exclude<Action, "allow">;
  /** A clause for the user. */
  reason: string;
}

/**
 * Applies rules for `read` and `edit` to the files of a command; otherwise `cat` could read what the read
 * tool may not. A deny for all files removes the tool and does not affect commands.
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

/** Patterns that are not file names, such as `mcp:may-change`. */
const isOther = /^[a-z-]{2,}:/;

/** The last matching rule of a source decides. */
function actionFor(rules: readonly Rule[], name: string, file: CommandFile): Action | null {
  const { permission, isTree } = file;
  for (const { action, pattern, ...rule } of rules.toReversed()) {
    if (!matchesWildcard(rule.permission, permission) || isOther.test(pattern)) continue;
    if (pattern === "*") return action === "ask" && permission === "read" ? "ask" : null;
    if (matchesPattern(pattern, name)) return action === "default" ? null : action;
    // The rule covers only some files of the folder, which the line may not touch.
    if (isTree && isBelow(pattern, name) && (action === "deny" || action === "ask")) return "ask";
  }
  return null;
}

/** Whether a pattern matches something below a folder or one of its parents. */
function isBelow(pattern: string, folder: string): boolean {
  const named = pattern.replace(/[*?].*$/s, "");
  if (folder === ".") return !named.startsWith("/") && (named.includes("/") || named === pattern);
  const place = folder === "/" ? "/" : `${folder}/`;
  return named.startsWith(place) || (named.includes("/") && place.startsWith(named));
}
