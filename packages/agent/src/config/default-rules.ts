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
const read = (permission: string, pattern = "*"): Rule => ({
  ...allow(permission, pattern),
  reads: true,
});
const ask = (permission: string, pattern = "*"): Rule => ({ permission, pattern, action: "ask" });
const deny = (permission: string, pattern = "*"): Rule => ({ permission, pattern, action: "deny" });

/** Used where no config and no mode says anything. What is not named here is asked about. */
export const defaultRules: readonly Rule[] = [
  // First, so that it can't allow anything that is named below.
  read("*", toolPatterns.mcpReadOnly),
  read("read"),
  read("list"),
  read("glob"),
  read("grep"),
  allow("todowrite"),
  allow("task"),
  allow("skill"),
  allow("question"),
  allow("plan_exit"),
  read("list_mcp_resources"),
  read("read_mcp_resource"),
  ask("edit"),
  ask("bash"),
  ask("webfetch"),
  ask("external_directory"),
  ask("external_host"),
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

/** Commands that only read are free in every mode; a looking mode asks about all others, whatever is allowed elsewhere. */
const lookingShell: Rule = { permission: "bash", pattern: "*", action: "ask", exceptReading: true };

/** Tools whose names are not known before. They come before rules that name a tool, so that those still end the matter. */
const noChangeByOthers: readonly Rule[] = [
  deny("*", toolPatterns.mcpMayChange),
  ask("*", toolPatterns.custom),
];

/** Where plans are kept: the one place that may be written while planning. */
export const planPattern = ".landline/plans/*.md";

export const planRules: readonly Rule[] = [
  ...noChangeByOthers,
  lookingShell,
  deny("edit"),
  allow("edit", planPattern),
  deny("task", "general"),
];

export const exploreRules: readonly Rule[] = [
  ...noChangeByOthers,
  lookingShell,
  deny("edit"),
  deny("todowrite"),
  deny("task"),
];

export const generalRules: readonly Rule[] = [deny("todowrite"), deny("task")];

/** The tool that leaves plan mode has no meaning elsewhere. */
export const noPlanExit: readonly Rule[] = [deny("plan_exit")];
