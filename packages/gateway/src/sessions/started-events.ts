import type { EventBody, LandlineError } from "@landline/protocol";
import type { AgentSession } from "./agent-session.ts";
import { optionsEvent } from "./options.ts";

/** What the log says of an agent that was started: itself, its options, and what could not be had with it. */
export function startedEvents(agent: AgentSession): EventBody[] {
  const { id, how, info, capabilities, confinement, isBuiltIn } = agent;
  const { choices, refusedServers, lostChoices } = agent;
  return [
    {
      kind: "agent-started",
      agentSessionId: id,
      how,
      info,
      capabilities,
      confinement,
      ...(isBuiltIn ? { isBuiltIn } : {}),
    },
    optionsEvent(choices),
    ...refusedServers.map((name): EventBody => ({
      kind: "error",
      code: "mcp-server-unavailable",
      message: `The agent can't take the MCP server ${name}: it does not speak that kind.`,
    })),
    ...lostChoices.map(errorEvent),
  ];
}

export function errorEvent({ code, message, help }: LandlineError): EventBody {
  return { kind: "error", code, message, help };
}
