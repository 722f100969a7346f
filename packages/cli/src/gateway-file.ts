import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { processExists } from "@landline/system/signals";
import { removeDrafts, replacePrivateFile } from "@landline/system/replace-file";
import type { GatewayAddress } from "./gateway-fetch.ts";

/**
 * How commands find the gateway of a data folder: `gateway.json` in it, for its owner alone. It names the socket that lets
 * them in, and no token: agents can read files. On Windows, where there is no such socket, it has the token of this start.
 */
export interface RunningGateway extends GatewayAddress {
  readonly pid: number;
}

const fileIn = (dataFolder: string) => join(dataFolder, "gateway.json");

/** Replaces what a gateway that was killed left behind: whoever calls this holds the folder's lock. */
export async function writeGatewayFile(dataFolder: string, running: RunningGateway): Promise<void> {
  const path = fileIn(dataFolder);
  await removeDrafts(path);
  try {
    await replacePrivateFile(path, `${JSON.stringify(running)}\n`);
  } catch (error) {
    // Nobody is sent to a gateway that is gone.
    await rm(path, { force: true });
    throw error;
  }
}

/** Only its own: the next gateway may have started already. */
export async function removeGatewayFile(dataFolder: string, pid: number): Promise<void> {
  const found = await readFileContent(dataFolder);
  if (found?.pid === pid) await rm(fileIn(dataFolder), { force: true });
}

/** Null when there is none, or the process that it names is gone. */
export async function readGatewayFile(dataFolder: string): Promise<RunningGateway | null> {
  const found = await readFileContent(dataFolder);
  return found && processExists(found.pid) ? found : null;
}

async function readFileContent(dataFolder: string): Promise<RunningGateway | null> {
  try {
    const value: unknown = JSON.parse(await readFile(fileIn(dataFolder), "utf8"));
    return isRunningGateway(value) ? value : null;
  } catch {
    return null;
  }
}

function isRunningGateway(value: unknown): value is RunningGateway {
  if (typeof value !== "object" || value === null) return false;
  const { url, socket, token, pid } = value as Record<string, unknown>;
  return (
    typeof url === "string" &&
    URL.canParse(url) &&
    isTextOrAbsent(socket) &&
    isTextOrAbsent(token) &&
    typeof pid === "number" &&
    Number.isSafeInteger(pid) &&
    pid > 0
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
