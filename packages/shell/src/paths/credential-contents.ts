import { basename } from "node:path";
import { cachedFiles } from "./cached-file.ts";
import type { FileSnapshot } from "./file-snapshot.ts";

/** Settings of package managers, which projects share and which rarely contain a credential. */
const settings = /^(?:\.npmrc|\.yarnrc\.yml)$/i;
const secret = /_auth|_password|authtoken|npmauth|username|certfile|keyfile/i;
/** A longer file is treated as a credential. */
const bytesMax = 65_536;
const secrets = cachedFiles(bytesMax, (data) => secret.test(data.toString("utf8")));

/**
 * Whether a file with the name of a credential may contain one. Searches and diffs that include settings without a
 * secret need no permission; naming the file always does.
 */
export async function mayHoldSecret(path: string, disk: FileSnapshot): Promise<boolean> {
  if (!settings.test(basename(path))) return true;
  return (await secrets.read(path, disk)) ?? true;
}
