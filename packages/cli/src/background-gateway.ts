import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile } from "node:fs/promises";
import * as path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LandlineError } from "@landline/protocol";
import type { PlaceOptions } from "./command-context.ts";
import type { GatewayAddress } from "./gateway-fetch.ts";
import { readGatewayFile } from "./gateway-file.ts";

/**
 * Starts a gateway that outlives this process, and resolves when it listens. Its log is `gateway.log` in the data
 * folder. If another process starts a gateway at the same time, that one is used.
 */
export async function startBackgroundGateway(
  dataFolder: string,
  place: PlaceOptions,
): Promise<GatewayAddress> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const logFile = path.join(dataFolder, "gateway.log");
  await using log = await open(logFile, "w", 0o600);
  const args = [...entry(), "serve", "--json", "--next-port", ...flags(place)];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ["ignore", "pipe", log.fd],
  });
  const exited = new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  // It prints one line of JSON when it listens.
  const { stdout } = child;
  if (stdout) await Promise.race([once(stdout, "data"), exited]);
  stdout?.destroy();
  child.unref();
  const running = await findStarted(dataFolder);
  if (running) return running;
  const said = (await readFile(logFile, "utf8")).trim();
  throw new LandlineError("gateway-not-running", {
    message: `A gateway could not be started${said === "" ? "." : `: ${said.slice(-2_000)}`}`,
    help: "Start it with `landline serve` to see why.",
  });
}

const LOOKS = 50;
const LOOK_MS = 100;

/** Another process that holds the data folder may still be starting. */
async function findStarted(dataFolder: string): Promise<GatewayAddress | null> {
  for (let look = 0; look < LOOKS; look++) {
    const running = await readGatewayFile(dataFolder);
    if (running) return running;
    await setTimeout(LOOK_MS);
  }
  return null;
}

/** The entry point of this command line: the bundle if this runs from one. */
function entry(): readonly string[] {
  const file = fileURLToPath(new URL("./start.ts", import.meta.url));
  return [...(file.endsWith(".ts") ? ["--conditions=@landline/source"] : []), file];
}

function flags({ data, config }: PlaceOptions): readonly string[] {
  return [
    ...(data === undefined ? [] : ["--data", data]),
    ...(config === undefined ? [] : ["--config", config]),
  ];
}
