import { basename } from "node:path";
import { cachedFiles } from "./cached-file.ts";
import type { FileSnapshot } from "./file-snapshot.ts";

/** Settings of package managers, which projects share and which hold a credential only sometimes. */
const settings = /^(?:\.npmrc|\.yarnrc\.yml)$/i;
const secret = /_auth|_password|authtoken|npmauth|username|certfile|keyfile/i;
/** A longer file counts as a credential. */
const bytesMax = 65_536;
const secrets = cachedFiles(bytesMax, (data) => secret.test(data.toString("utf8")));

/**
 * Whether a file that is a credential by its name may hold one. A search or a diff that only passes by is not asked
 * about for settings without a secret; who names the file is asked in any case.
 */
export async function mayHoldSecret(path: string, disk: FileSnapshot): Promise<boolean> {
  if (!settings.test(basename(path))) return true;
  return (await secrets.read(path, disk)) ?? true;
}
