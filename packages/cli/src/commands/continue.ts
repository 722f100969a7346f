import { loadConfig } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { listAgentSessions } from "../agent-session-list.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";

/** Sessions of the agent that are searched for the given one. */
const SEARCHED_MAX = 10_000;

/** `landline continue`: continues a session that an agent stores itself. */
export async function continueSession(
  { output }: CommandContext,
  agent: string,
  agentSessionId: string,
  { json, ...place }: PlaceOptions & JsonOption,
): Promise<number> {
  const { api } = await requireGateway(await loadConfig({ flags: place }));
  const listed = await listAgentSessions(api, { agent, limit: SEARCHED_MAX });
  const found = listed.find((session) => session.agentSessionId === agentSessionId);
  if (!found)
    throw new LandlineError("session-not-found", {
      message: `${agent} has no session ${JSON.stringify(agentSessionId)}.`,
      help: `List its sessions: landline sessions --agent ${agent}.`,
    });
  const { cwd, title } = found;
  const session = await api.open({
    agent,
    cwd,
    agentSessionId,
    ...(title !== null && { title }),
  });
  if (json === true) output.json(session);
  else {
    output.line(session.sessionId);
    output.note(`Follow it: landline attach ${session.sessionId}`);
  }
  return exitCode.done;
}
