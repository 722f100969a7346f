import {
  readUpdate,
  updateKindOf,
  withConfigOptions,
  withMode,
  type RawUpdate,
  type SessionView,
} from "@landline/protocol";
import { KnownNotices } from "./known-notices.ts";
import type { Options } from "./options.ts";

/** What a restart of the session's agent needs. */
export interface AgentSettings {
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  agentSessionId: string | null;
  /** The agent's own session is continued, and its history is not in the log yet. */
  isContinued: boolean;
  /** A fork for which the agent has no session yet. */
  forked: boolean;
  options: Options;
  readonly notices: KnownNotices;
}

export function agentSettingsOf(view: SessionView): AgentSettings {
  const { session, agent, modes, configOptions, models, items } = view;
  return {
    agent: session.agent,
    cwd: session.cwd,
    roots: session.roots,
    agentSessionId: agent.agentSessionId,
    isContinued: agent.agentSessionId !== null && agent.starts === 0 && session.parent === null,
    forked: agent.agentSessionId === null && items.some(isConversation),
    options: { modes, configOptions, models },
    notices: new KnownNotices(view),
  };
}

function isConversation({ type }: SessionView["items"][number]): boolean {
  return type === "message" || type === "tool-call";
}

/** Returns the options after an update, or the same object if they did not change. */
export function optionsAfter(options: Options, raw: RawUpdate): Options {
  // This runs for every update, so other kinds are not parsed.
  const kind = updateKindOf(raw)?.kind;
  if (kind !== "current_mode_update" && kind !== "config_option_update") return options;
  const reading = readUpdate(raw);
  if (reading.kind === "mode") return withMode(options, reading.modeId);
  if (reading.kind !== "config-options") return options;
  return withConfigOptions(options, reading.configOptions);
}
