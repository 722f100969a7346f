import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The builds of the page: each is in a folder named after its sources, and never changes. */
const built = fileURLToPath(new URL("../../../web/dist", import.meta.url));

interface Build {
  readonly folder: string;
  readonly usedAt: number;
}

/**
 * The builds of the page, newest first; empty when there is none. Read once at startup: a running gateway keeps serving
 * its own build while another one is built.
 */
export function pageFolders(dist = built): readonly string[] {
  try {
    return (
      readdirSync(dist)
        .filter((name) => /^[0-9a-f]{16}$/.test(name))
        .map((name) => join(dist, name))
        // A build may be removed during the scan.
        .map((folder) => ({ folder, usedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs }))
        .filter((one): one is Build => one.usedAt !== undefined)
        .sort((one, other) => other.usedAt - one.usedAt)
        .map(({ folder }) => folder)
    );
  } catch {
    // The gateway also runs without a page.
    return [];
  }
}
