import type { Implementation } from "@agentclientprotocol/sdk";

/** The modes and options in which an agent asks a person for every permission. */
interface AgentModes {
  readonly ids: readonly string[];
  /** Values of `agentInfo.name`, because users choose the ids in their config. */
  readonly names: readonly string[];
  /** Modes that ask. "all": modes do not affect permissions. */
  readonly asking: readonly string[] | "all";
  /** Permission options, with the value that asks. */
  readonly options?: Readonly<Record<string, string | boolean>>;
  /** The agent resets permissions when it reopens a session, and reports that to the person. */
  readonly resets?: true;
}

const known: readonly AgentModes[] = [
  { ids: [], names: ["landline"], asking: "all", resets: true },
  {
    ids: ["claude"],
    names: ["@agentclientprotocol/claude-agent-acp", "@zed-industries/claude-code-acp"],
    asking: ["default", "plan"],
  },
  {
    ids: ["codex"],
    names: ["@agentclientprotocol/codex-acp", "codex-acp"],
    asking: ["read-only"],
  },
  { ids: ["gemini"], names: ["gemini-cli"], asking: ["default", "plan"] },
  { ids: ["qwen"], names: ["qwen-code"], asking: ["default", "plan"] },
  { ids: ["goose"], names: ["goose"], asking: ["approve", "chat"] },
  {
    ids: ["copilot"],
    names: ["Copilot"],
    asking: ["agent", "plan"],
    options: { allow_all: "off" },
  },
  { ids: ["kimi"], names: ["Kimi Code CLI"], asking: ["default", "plan"] },
  { ids: ["cline"], names: ["cline"], asking: "all", options: { auto_approve: false } },
  { ids: ["droid"], names: ["@factory/cli"], asking: ["normal", "spec"] },
  // The agent's own config defines what its modes ask about.
  { ids: ["opencode"], names: ["OpenCode"], asking: "all" },
  { ids: ["kilo"], names: ["Kilo"], asking: "all" },
];

/** Ids of modes and options that skip permission requests, for agents that are not in the table. */
const permissive = new RegExp(
  "auto|bypass|yolo|full.?access|unrestricted|unattended|unsafe|dangerous|skip.?permission|accept.?edit|" +
    "(?:allow|approve|accept|trust).?all|always.?(?:allow|approve|accept)|" +
    "(?:dont|never|without|(?<![a-z])no).?(?:ask|confirm|approv|prompt)",
  "i",
);
const switchedOn = /^(?:on|true|yes|always|enabled)$/i;
/** Options that control when the agent asks, and values that mean never. */
const askingOption = /approv|permission|confirm/i;
const neverValue = /^(?:never|none|off|false|no|disabled)$/i;

/** Whether a mode or an option asks a person. Null: unknown. */
export interface PermissionModes {
  readonly mode: (modeId: string) => boolean | null;
  readonly option: (configId: string, value: string | boolean) => boolean | null;
  /** Modes that ask, the default first. */
  readonly asking: readonly string[];
  readonly resets: boolean;
}

export function permissionModesOf(id: string, info: Implementation | null): PermissionModes {
  const agent = known.find(
    ({ ids, names }) => ids.includes(id) || (info !== null && names.includes(info.name)),
  );
  const { asking = [], options = {} } = agent ?? {};
  return {
    mode: (modeId) => {
      if (asking === "all" || asking.includes(shortId(modeId))) return true;
      return agent || permissive.test(modeId) ? false : null;
    },
    option: (configId, value) => {
      if (Object.hasOwn(options, configId)) return options[configId] === value;
      return isPermissive(configId, value) ? false : null;
    },
    asking: asking === "all" ? [] : asking,
    resets: agent?.resets ?? false,
  };
}

function isPermissive(configId: string, value: string | boolean): boolean {
  const text = String(value);
  if (permissive.test(configId)) return permissive.test(text) || switchedOn.test(text);
  return permissive.test(text) || (askingOption.test(configId) && neverValue.test(text));
}

/** A mode id may be a URL with the name in its fragment. */
export function shortId(modeId: string): string {
  return modeId.slice(modeId.lastIndexOf("#") + 1);
}
