import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { AgentEntry } from "../agents/agent.ts";

/** What we really do for an agent, less what the policy withholds from it. */
export function clientCapabilities({ withhold }: AgentEntry): ClientCapabilities {
  return {
    fs: { readTextFile: !withhold.files, writeTextFile: !withhold.files },
    terminal: !withhold.terminals,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    elicitation: { form: {}, url: {} },
    // Unstable: plans with an id, and subagents with sessions of their own.
    plan: {},
    subagents: {},
  } as ClientCapabilities;
}
