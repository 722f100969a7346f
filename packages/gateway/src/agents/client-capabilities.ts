import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { AgentEntry } from "./agent.ts";

/** What we really do for an agent, less what the policy withholds from it. */
export function clientCapabilities(entry: AgentEntry): ClientCapabilities {
  const { withhold } = entry;
  return {
    ...signInTerminals(entry),
    fs: { readTextFile: !withhold.files, writeTextFile: !withhold.files },
    terminal: !withhold.terminals,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    elicitation: { form: {}, url: {} },
    // Unstable: plans with an id, and subagents with sessions of their own.
    plan: {},
    subagents: {},
  } as ClientCapabilities;
}

/** Of that, what a sign-in can need. */
export function signInCapabilities(entry: AgentEntry): ClientCapabilities {
  return { ...signInTerminals(entry), elicitation: { form: {}, url: {} } };
}

/** Its own program is run in a terminal here, where it runs here; the second is how older agents ask. */
function signInTerminals({ kind }: AgentEntry): ClientCapabilities {
  return kind === "process" ? { auth: { terminal: true }, _meta: { "terminal-auth": true } } : {};
}
