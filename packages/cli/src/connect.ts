import type { GatewayOptions } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { GatewayClient } from "./client.ts";
import { readGatewayFile } from "./gateway-file.ts";

/** The gateway that runs for this data folder; null when none does. */
export async function findGateway(options: GatewayOptions): Promise<GatewayClient | null> {
  const running = await readGatewayFile(options.dataFolder);
  return running && new GatewayClient(running, options.limits);
}

export async function requireGateway(options: GatewayOptions): Promise<GatewayClient> {
  const found = await findGateway(options);
  if (found) return found;
  throw new LandlineError("gateway-not-running", {
    message: `No gateway is running for the data folder ${options.dataFolder}.`,
    help: "Start one with `landline serve`, or name another folder with --data.",
  });
}
