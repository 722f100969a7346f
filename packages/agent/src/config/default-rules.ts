import type { Rule } from "../permission/rule.ts";

/**
 * What an MCP tool or a tool of the project asks for stands in the pattern, because its name is not known
 * before: `permission` is its full name, `pattern` one of these.
 */
export const toolPatterns = {
  mcpReadOnly: "mcp:read-only",
  mcpMayChange: "mcp:may-change",
  custom: "custom:run",
} as const;

const allow = (permission: string, pattern = "*"): Rule => ({
  permission,
  pattern,
  action: "allow",
});
const ask = (permission: string, pattern = "*"): Rule => ({ permission, pattern, action: "ask" });
const deny = (permission: string, pattern = "*"): Rule => ({ permission, pattern, action: "deny" });

/** Holds unless something later says otherwise. What is not named here is asked about. */
export const defaultRules: readonly Rule[] = [
  // First, so that it can't allow anything that is named below.
  allow("*", toolPatterns.mcpReadOnly),
  allow("read"),
  ask("read", "*.env"),
  ask("read", "*.env.*"),
  allow("read", "*.env.example"),
  allow("list"),
  allow("glob"),
  allow("grep"),
  allow("todowrite"),
  allow("task"),
  allow("skill"),
  allow("question"),
  allow("plan_exit"),
  allow("list_mcp_resources"),
  allow("read_mcp_resource"),
  ask("edit"),
  ask("bash"),
  ask("webfetch"),
  ask("external_directory"),
  ask("doom_loop"),
];

/** Names that no tool from elsewhere may take: rules for the agent's own tools would hold for it. */
export const builtInTools: ReadonlySet<string> = new Set([
  ...defaultRules.map((rule) => rule.permission),
  "write",
  "apply_patch",
  "websearch",
  "lsp",
]);

/** Commands that look and change nothing, whatever their arguments, but for what `unsafe` names. */
const lookingCommands = [
  "ls",
  "pwd",
  "cat",
  "head",
  "tail",
  "wc",
  "nl",
  "file",
  "stat",
  "du",
  "df",
  "tree",
  "which",
  "whoami",
  "uname",
  "basename",
  "dirname",
  "realpath",
  "readlink",
  "diff",
  "cmp",
  "comm",
  "cut",
  "tr",
  "grep",
  "egrep",
  "fgrep",
  "rg",
  "find",
  "jq",
  "echo",
  "printf",
  "true",
  "git status",
  "git log",
  "git diff",
  "git show",
  "git blame",
  "git grep",
  "git ls-files",
  "git ls-tree",
  "git rev-parse",
  "git describe",
  "git shortlog",
  "git merge-base",
];

/** These change things when they are given more. */
const exactCommands = [
  "date",
  "date +*",
  "git branch",
  "git branch -a",
  "git branch --list",
  "git branch --show-current",
  "git remote",
  "git remote -v",
  "git stash list",
  "git tag",
  "git tag --list",
];

/**
 * Arguments by which those write or start something after all, and what is run inside of others. A line
 * is judged by its commands and by the files that it writes to (permission/bash-request.ts), so that its
 * operators need no rule, and those in quotes stop nobody.
 */
const unsafe = [
  "find *-exec*",
  "find *-ok*",
  "find *-delete*",
  "find *-fprint*",
  "find *-fls*",
  "rg *--pre*",
  "rg *--hostname-bin*",
  "tree *-o*",
  "file *-C*",
  "git *--ou*",
  "git *--ext*",
  "git *--textc*",
  "git grep *-O*",
  "git grep *--op*",
  "*`*",
  "*$(*",
  "*<(*",
  "*\n*",
];

const lookingShell: readonly Rule[] = [
  ask("bash"),
  ...lookingCommands.map((command) => allow("bash", `${command} *`)),
  ...exactCommands.map((command) => allow("bash", command)),
  ...unsafe.map((pattern) => ask("bash", pattern)),
];

/** Tools whose names are not known before. They come before rules that name a tool, so that those still end the matter. */
const noChangeByOthers: readonly Rule[] = [
  deny("*", toolPatterns.mcpMayChange),
  ask("*", toolPatterns.custom),
];

/** Where plans are kept: the one place that may be written while planning. */
export const planPattern = ".landline/plans/*.md";

export const planRules: readonly Rule[] = [
  ...noChangeByOthers,
  ...lookingShell,
  deny("edit"),
  allow("edit", planPattern),
  deny("task", "general"),
];

export const exploreRules: readonly Rule[] = [
  ...noChangeByOthers,
  ...lookingShell,
  deny("edit"),
  deny("todowrite"),
  deny("task"),
];

export const generalRules: readonly Rule[] = [deny("todowrite"), deny("task")];

/** The tool that leaves plan mode has no meaning elsewhere. */
export const noPlanExit: readonly Rule[] = [deny("plan_exit")];
