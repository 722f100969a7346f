import { listAgents, loadConfig } from "@landline/gateway";
import { agentRows } from "../agent-rows.ts";
import { builtInAgent } from "../built-in-agent.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { findGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { tableLines } from "../table.ts";

/** Lists the agents of the running gateway, or those that a gateway would have. */
export async function agents(
  { output }: CommandContext,
  { json, ...place }: PlaceOptions & JsonOption,
): Promise<number> {
  const options = await loadConfig({ flags: place, builtInAgent: builtInAgent() });
  const gateway = await findGateway(options);
  const found = gateway ? (await gateway.api.listAgents()).agents : await listAgents(options);
  if (json === true) for (const agent of found) output.json(agent);
  else {
    const { rows, lookedIn } = agentRows(found);
    for (const line of tableLines([["AGENT", "NAME", "FOUND", "HOW"], ...rows])) output.line(line);
    for (const places of lookedIn) output.note(`\nLooked in ${places}.`);
  }
  return exitCode.done;
}
