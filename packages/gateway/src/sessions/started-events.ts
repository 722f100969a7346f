import type { EventBody, LandlineError } from "@landline/protocol";
import type { RunningAgent } from "../agents/agent.ts";
import type { AgentRun } from "./agent-run.ts";
import type { Opened } from "./open-session.ts";
import { optionsEvent } from "./options.ts";
import { refusedServers } from "./session-params.ts";

/** The events for a started agent: the agent, its options, and errors for what it lacks. */
export function startedEvents(
  { id, how, entry, place }: AgentRun,
  { info, capabilities, confinement }: RunningAgent,
  { options, lost }: Opened,
): EventBody[] {
  const isBuiltIn = entry.kind === "process" && entry.isBuiltIn === true;
  return [
    {
      kind: "agent-started",
      agentSessionId: id ?? "",
      how,
      info,
      capabilities,
      confinement,
      ...(isBuiltIn ? { isBuiltIn } : {}),
    },
    optionsEvent(options),
    ...refusedServers(place, capabilities).map((name): EventBody => ({
      kind: "error",
      code: "mcp-server-unavailable",
      message: `The agent does not support the transport of the MCP server ${name}.`,
    })),
    ...lost.map(errorEvent),
  ];
}

export function errorEvent({ code, message, help }: LandlineError): EventBody {
  return { kind: "error", code, message, help };
}
