import { wantsOfTemplate } from "./expand-template.ts";
import { allowances, withoutAllow } from "./permission-setting.ts";
import type { CommandSetting, McpSetting, PermissionSetting, Settings } from "./schema.ts";

/**
 * The settings of an untrusted project without everything that would start a program, send a key somewhere or
 * allow actions without asking. `withheld` describes what was removed.
 */
export function withoutUntrusted(settings: Settings): { settings: Settings; withheld: string[] } {
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
  const withheld: string[] = [
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
    withheld.push(...allowedWithoutQuestion(permission));
    const stricter = withoutAllow(permission);
    if (stricter !== undefined) safe.permission = stricter;
  }
  if (firstMode === "plan") safe.default_agent = firstMode;
  else if (firstMode !== undefined) withheld.push(`starts sessions in the mode ${firstMode}`);
  if (level === "ask") safe.permission_level = level;
  else if (level !== undefined) withheld.push(`sets the permission level to ${level}`);
  if (sandbox !== undefined) withheld.push("changes what commands may use in their sandbox");
  if (command !== undefined) {
    const entries = Object.entries(command).filter(([name, { template }]) => {
      const wants = wantsOfTemplate(template, name);
      withheld.push(...wants);
      return wants.length === 0;
    });
    safe.command = Object.fromEntries(
      entries.map(([name, one]) => {
        const { setting, withheld: mode } = withoutMode(one, name);
        withheld.push(...mode);
        return [name, setting];
      }),
    );
  }
  if (agent !== undefined) {
    safe.agent = Object.fromEntries(
      Object.entries(agent).map(([id, setting]) => {
        const { permission: own, disable, ...others } = setting;
        if (disable) withheld.push(`switches the agent "${id}" off`);
        if (own === undefined) return [id, others];
        withheld.push(...allowedWithoutQuestion(own, id));
        const stricter = withoutAllow(own);
        return [id, stricter === undefined ? others : { ...others, permission: stricter }];
      }),
    );
  }
  return { settings: safe, withheld };
}

/**
 * Modes that a command of an untrusted project may choose: they restrict, or are limited by the session's
 * mode.
 */
const restrictedModes = new Set(["plan", "explore", "general"]);

/** Removes the mode of a command, which could otherwise leave plan mode for its turn. */
export function withoutMode(
  command: CommandSetting,
  name: string,
): { setting: CommandSetting; withheld: string[] } {
  const { agent, ...setting } = command;
  if (agent === undefined || restrictedModes.has(agent)) return { setting: command, withheld: [] };
  return { setting, withheld: [`runs its command /${name} in the mode ${agent}`] };
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

/** The path or query of a URL may contain a key. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "an address";
}
