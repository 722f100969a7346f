import type { EventBody, LandlineError } from "@landline/protocol";
import type { RunningAgent } from "../agents/agent.ts";
import type { AgentRun } from "./agent-run.ts";
import type { Opened } from "./open-session.ts";
import { optionsEvent } from "./options.ts";
import { refusedServers } from "./session-params.ts";

/** What the log says of an agent that was started: itself, its options, and what could not be had with it. */
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
      message: `The agent can't take the MCP server ${name}: it does not speak that kind.`,
    })),
    ...lost.map(errorEvent),
  ];
}

export function errorEvent({ code, message, help }: LandlineError): EventBody {
  return { kind: "error", code, message, help };
}
