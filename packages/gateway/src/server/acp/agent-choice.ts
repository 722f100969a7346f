import { LandlineError } from "@landline/protocol";
import type { Services } from "../services.ts";

/** The agent that an ACP client names in the query of `/acp`, or the default agent. */
export async function chosenAgent(
  { searchParams }: URL,
  services: Pick<Services, "agents" | "defaultAgent">,
): Promise<string> {
  const wanted = searchParams.get("agent") ?? services.defaultAgent ?? null;
  const agents = await services.agents.list();
  const agent = agents.find(({ id, found }) => (wanted === null ? found : id === wanted));
  if (agent) return agent.id;
  if (wanted === null) throw new LandlineError("agent-not-found");
  throw new LandlineError("agent-not-found", {
    message: `There is no agent ${JSON.stringify(wanted)}.`,
    data: { agent: wanted },
  });
}
