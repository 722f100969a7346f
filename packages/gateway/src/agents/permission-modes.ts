import type { Implementation } from "@agentclientprotocol/sdk";

/** In which modes, and with which options, one agent leaves every decision to the person. */
interface AgentModes {
  readonly ids: readonly string[];
  /** By `agentInfo.name`, whatever the user calls the agent in the config. */
  readonly names: readonly string[];
  /** Modes that ask. "all": the agent's modes are not about permissions. */
  readonly asking: readonly string[] | "all";
  /** Options about permissions, with the value that asks. */
  readonly options?: Readonly<Record<string, string | boolean>>;
  /** The agent ends what a person allowed when it opens a session again, and tells the person. */
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
  // The config says what their modes ask about.
  { ids: ["opencode"], names: ["OpenCode"], asking: "all" },
  { ids: ["kilo"], names: ["Kilo"], asking: "all" },
];

/** Ids of modes and options that answer for the person, in agents that are not in the table. */
const permissive = new RegExp(
  "auto|bypass|yolo|full.?access|unrestricted|unattended|unsafe|dangerous|skip.?permission|accept.?edit|" +
    "(?:allow|approve|accept|trust).?all|always.?(?:allow|approve|accept)|" +
    "(?:dont|never|without|(?<![a-z])no).?(?:ask|confirm|approv|prompt)",
  "i",
);
const switchedOn = /^(?:on|true|yes|always|enabled)$/i;
/** Options that say when the agent asks, and the values that mean never. */
const askingOption = /approv|permission|confirm/i;
const neverValue = /^(?:never|none|off|false|no|disabled)$/i;

/** What is known of an agent's choices. True: it asks the person. False: it does not. Null: nobody knows. */
export interface PermissionModes {
  readonly mode: (modeId: string) => boolean | null;
  readonly option: (configId: string, value: string | boolean) => boolean | null;
  /** Modes that ask, the usual one first. */
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

/** The id of a mode may be a URL, with the name in its fragment. */
export function shortId(modeId: string): string {
  return modeId.slice(modeId.lastIndexOf("#") + 1);
}
