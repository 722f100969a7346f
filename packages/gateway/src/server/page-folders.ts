import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the chat is when it was built: each build in a folder that is named for its sources, and never changed. */
const built = fileURLToPath(new URL("../../../web/dist", import.meta.url));

interface Build {
  readonly folder: string;
  readonly usedAt: number;
}

/**
 * The builds of the page, the newest first; none when it was not built. Looked for once, when a gateway
 * starts: it goes on giving out its own page while the next one is built.
 */
export function pageFolders(dist = built): readonly string[] {
  try {
    return (
      readdirSync(dist)
        .filter((name) => /^[0-9a-f]{16}$/.test(name))
        .map((name) => join(dist, name))
        // One that is removed while we look is not there, and the others are.
        .map((folder) => ({ folder, usedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs }))
        .filter((one): one is Build => one.usedAt !== undefined)
        .sort((one, other) => other.usedAt - one.usedAt)
        .map(({ folder }) => folder)
    );
  } catch {
    // There is none: the gateway is there all the same.
    return [];
  }
}
