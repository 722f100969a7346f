import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { AgentEntry } from "./agent.ts";

/** The capabilities of the gateway, minus those that the policy withholds from the agent. */
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

/** The capabilities that a sign-in needs. */
export function signInCapabilities(entry: AgentEntry): ClientCapabilities {
  return { ...signInTerminals(entry), elicitation: { form: {}, url: {} } };
}

/** Sign-in terminals are available for local agents. Older agents read the `_meta` field. */
function signInTerminals({ kind }: AgentEntry): ClientCapabilities {
  return kind === "process" ? { auth: { terminal: true }, _meta: { "terminal-auth": true } } : {};
}
