import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { processExists } from "@landline/system/signals";
import { removeTemporaryFiles, replacePrivateFile } from "@landline/system/replace-file";
import type { GatewayAddress } from "./gateway-fetch.ts";

/**
 * How commands find the gateway of a data folder: `gateway.json` in it, readable only by its owner. It names the socket
 * and contains no token, because agents can read files. Windows has no such socket, so the file contains the token of
 * this start.
 */
export interface RunningGateway extends GatewayAddress {
  readonly pid: number;
}

const fileIn = (dataFolder: string) => join(dataFolder, "gateway.json");

/** Replaces the file of a gateway that was killed. The caller holds the folder's lock. */
export async function writeGatewayFile(dataFolder: string, running: RunningGateway): Promise<void> {
  const path = fileIn(dataFolder);
  await removeTemporaryFiles(path);
  try {
    await replacePrivateFile(path, `${JSON.stringify(running)}\n`);
  } catch (error) {
    // Remove the file, so that commands do not connect to a gateway that has ended.
    await rm(path, { force: true });
    throw error;
  }
}

/** Removes only its own file, because the next gateway may have started already. */
export async function removeGatewayFile(dataFolder: string, pid: number): Promise<void> {
  const found = await readFileContent(dataFolder);
  if (found?.pid === pid) await rm(fileIn(dataFolder), { force: true });
}

/** Null if there is no file, or its process has ended. */
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
