import { readUpdate, type RawUpdate, type SessionView } from "@landline/protocol";
import { withConfigOptions, withMode, type Options } from "./options.ts";

/** What is needed to start the agent of a session again. */
export interface Facts {
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  agentSessionId: string | null;
  /** A copy of a conversation that the agent has no session of yet. */
  forked: boolean;
  options: Options;
}

export function factsOf({
  session,
  agent,
  modes,
  configOptions,
  models,
  items,
}: SessionView): Facts {
  return {
    agent: session.agent,
    cwd: session.cwd,
    roots: session.roots,
    agentSessionId: agent.agentSessionId,
    forked: agent.agentSessionId === null && items.some(isConversation),
    options: { modes, configOptions, models },
  };
}

function isConversation({ type }: SessionView["items"][number]): boolean {
  return type === "message" || type === "tool-call";
}

/** What the agent says about its options by the way; the same options where it says nothing. */
export function optionsAfter(options: Options, raw: RawUpdate): Options {
  if (!optionKinds.has(raw["sessionUpdate"])) return options;
  let after = options;
  for (const reading of readUpdate(raw)) {
    if (reading.kind === "mode") after = withMode(after, reading.modeId);
    if (reading.kind === "config-options")
      after = withConfigOptions(
        after,
        reading.configOptions as NonNullable<Options["configOptions"]>,
      );
  }
  return after;
}

/** Others are not read a second time. */
const optionKinds: ReadonlySet<unknown> = new Set([
  "current_mode_update",
  "config_option_update",
  "config_options",
]);
