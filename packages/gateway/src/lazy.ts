import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import type { Examination, Finding } from "./doctor.ts";
import type { Tokens } from "./server/tokens.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";

/**
 * What the package does, loaded when it is asked for: a command that only needs to find a gateway must not
 * wait for all of one to be loaded.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = await import("./gateway.ts");
  return gateway.startGateway(options);
}

/** The tokens of a data folder, whether a gateway runs or not. */
export async function openTokens(options: GatewayOptions): Promise<Tokens> {
  const tokens = await import("./server/tokens.ts");
  const { dataFolder, limits, token } = options;
  // They may be made before the first start.
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  return tokens.openTokens(join(dataFolder, "tokens.json"), {
    limits,
    ...(token === null ? {} : { fixed: token }),
  });
}

/** The agents of the config and of the machine, as a gateway with this config would list them. */
export async function listAgents(options: GatewayOptions): Promise<readonly AgentSummary[]> {
  const { createCatalog } = await import("./agents/catalog.ts");
  const { agents, agentFlags, policy, limits, builtInAgent } = options;
  return createCatalog({
    config: agents,
    extra: agentFlags,
    policy,
    limits,
    ...(builtInAgent && { builtIn: builtInAgent }),
  }).list();
}

export async function examine(options: GatewayOptions, examination: Examination): Promise<boolean> {
  const doctor = await import("./doctor.ts");
  return doctor.examine(options, examination);
}

export async function examineMachine(options: GatewayOptions): Promise<Finding[]> {
  const doctor = await import("./doctor.ts");
  return doctor.examineMachine(options);
}
