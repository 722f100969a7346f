import { wantsOfTemplate } from "./expand-template.ts";
import { allowances, withoutAllow } from "./permission-setting.ts";
import type { CommandSetting, McpSetting, PermissionSetting, Settings } from "./schema.ts";

/**
 * What a project's file says with everything taken out that would start a program, send a key
 * somewhere or allow something without a question. `held` says in words what that was.
 */
export function withhold(settings: Settings): { settings: Settings; held: string[] } {
  const {
    provider,
    mcp,
    formatter,
    linter,
    permission,
    permission_level: level,
    sandbox,
    default_agent: firstMode,
    agent,
    command,
    ...kept
  } = settings;
  const safe: { -readonly [Key in keyof Settings]: Settings[Key] } = kept;
  delete safe.trust;
  const held: string[] = [
    ...Object.keys(provider ?? {}).map(
      (id) => `uses the model provider "${id}" as it is set up there`,
    ),
    ...Object.entries(mcp ?? {}).flatMap(([name, server]) => describeServer(name, server)),
    ...Object.keys(formatter ?? {}).map((name) => `runs the formatter "${name}" after edits`),
    ...Object.keys(linter ?? {}).map((name) => `runs the linter "${name}" after edits`),
  ];
  const off = Object.entries(mcp ?? {}).filter(([, server]) => server.enabled === false);
  if (off.length > 0) {
    safe.mcp = Object.fromEntries(off.map(([name]) => [name, { enabled: false }]));
  }
  if (permission !== undefined) {
    held.push(...allowedWithoutQuestion(permission));
    const stricter = withoutAllow(permission);
    if (stricter !== undefined) safe.permission = stricter;
  }
  if (firstMode === "plan") safe.default_agent = firstMode;
  else if (firstMode !== undefined) held.push(`starts sessions in the mode ${firstMode}`);
  if (level === "ask") safe.permission_level = level;
  else if (level !== undefined) held.push(`sets the permission level to ${level}`);
  if (sandbox !== undefined) held.push("changes what commands may use in their sandbox");
  if (command !== undefined) {
    const entries = Object.entries(command).filter(([name, { template }]) => {
      const wants = wantsOfTemplate(template, name);
      held.push(...wants);
      return wants.length === 0;
    });
    safe.command = Object.fromEntries(
      entries.map(([name, one]) => {
        const { setting, held: mode } = withoutMode(one, name);
        held.push(...mode);
        return [name, setting];
      }),
    );
  }
  if (agent !== undefined) {
    safe.agent = Object.fromEntries(
      Object.entries(agent).map(([id, setting]) => {
        const { permission: own, disable, ...others } = setting;
        if (disable) held.push(`switches the agent "${id}" off`);
        if (own === undefined) return [id, others];
        held.push(...allowedWithoutQuestion(own, id));
        const stricter = withoutAllow(own);
        return [id, stricter === undefined ? others : { ...others, permission: stricter }];
      }),
    );
  }
  return { settings: safe, held };
}

/** Modes that a command may choose in any project: they restrict, or are bound by the session's own mode. */
const restrictedModes = new Set(["plan", "explore", "general"]);

/** A command that chooses its mode would leave plan mode for its turn. */
export function withoutMode(
  command: CommandSetting,
  name: string,
): { setting: CommandSetting; held: string[] } {
  const { agent, ...setting } = command;
  if (agent === undefined || restrictedModes.has(agent)) return { setting: command, held: [] };
  return { setting, held: [`runs its command /${name} in the mode ${agent}`] };
}

export function allowedWithoutQuestion(permission: PermissionSetting, agent?: string): string[] {
  const whom = agent === undefined ? "" : ` to the agent "${agent}"`;
  return allowances(permission).map((what) => `allows ${what} without a question${whom}`);
}

function describeServer(name: string, server: McpSetting): string[] {
  if (server.enabled === false) return [];
  if (server.url !== undefined)
    return [`connects to the MCP server "${name}" at ${originOf(server.url)}`];
  const words = [server.command ?? [], server.args ?? []].flat();
  return [`starts the MCP server "${name}": ${words.join(" ")}`];
}

/** An address may hold a key in its path or query. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "an address";
}
