import type { Rule } from "../permission/rule.ts";

/**
 * Patterns for MCP and custom tools, whose names are not known in advance: `permission` is the tool's full
 * name, `pattern` one of these.
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

/** Used where no other source matches. Everything else is asked about. */
export const defaultRules: readonly Rule[] = [
  // First, so that it cannot override a rule below.
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

/** Reserved names: an MCP or custom tool with such a name would inherit the rules of a built-in tool. */
export const builtInTools: ReadonlySet<string> = new Set([
  ...defaultRules.map((rule) => rule.permission),
  "write",
  "apply_patch",
  "websearch",
  "lsp",
]);

/**
 * Read-only commands are always allowed. A read-only mode asks about all others, whatever other rules allow.
 */
const readOnlyShell: Rule = {
  permission: "bash",
  pattern: "*",
  action: "ask",
  exceptReading: true,
};

/** For MCP and custom tools. Comes before rules that name a tool, so that those decide. */
const noChangeByExternalTools: readonly Rule[] = [
  deny("*", toolPatterns.mcpMayChange),
  ask("*", toolPatterns.custom),
];

/** Plan files, the only files that plan mode may write. */
export const planPattern = ".landline/plans/*.md";

export const planRules: readonly Rule[] = [
  ...noChangeByExternalTools,
  readOnlyShell,
  deny("edit"),
  allow("edit", planPattern),
  deny("task", "general"),
];

export const exploreRules: readonly Rule[] = [
  ...noChangeByExternalTools,
  readOnlyShell,
  deny("edit"),
  deny("todowrite"),
  deny("task"),
];

export const generalRules: readonly Rule[] = [deny("todowrite"), deny("task")];

/** `plan_exit` is offered only in plan mode. */
export const withoutPlanExit: readonly Rule[] = [deny("plan_exit")];
