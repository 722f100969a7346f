import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import type { DataFolderCheck, CheckResult } from "./doctor.ts";
import type { Tokens } from "./server/tokens.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";

/**
 * Functions that load their modules on the first call: a command that only needs to find a gateway must not load one.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = await import("./gateway.ts");
  return gateway.startGateway(options);
}

/** Opens the tokens of a data folder. A gateway may be running. */
export async function openTokens(options: GatewayOptions): Promise<Tokens> {
  const tokens = await import("./server/tokens.ts");
  const { dataFolder, limits, token } = options;
  // Tokens can be created before the first start of a gateway.
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  return tokens.openTokens(join(dataFolder, "tokens.json"), {
    limits,
    ...(token === null ? {} : { fixed: token }),
  });
}

/** Lists the agents as a gateway with this configuration would. */
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

export async function checkDataFolder(
  options: GatewayOptions,
  examination: DataFolderCheck,
): Promise<boolean> {
  const doctor = await import("./doctor.ts");
  return doctor.checkDataFolder(options, examination);
}

export async function checkMachine(options: GatewayOptions): Promise<CheckResult[]> {
  const doctor = await import("./doctor.ts");
  return doctor.checkMachine(options);
}
