import { glob } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { finishedWithin } from "@landline/system/finished-within";
import { exists } from "@landline/system/missing-file";
import { rulesLimits } from "../limits.ts";

/** Time limit for one glob. Files found by then are used, and a problem is added. */
const globMs = 2_000;

export interface Matches {
  paths: string[];
  /** The time limit was reached. */
  late: boolean;
}

/** Returns at most one file more than the limit, so that the caller notices the excess. */
export async function matchingFiles(pattern: string): Promise<Matches> {
  if (await exists(pattern)) return { paths: [pattern], late: false };
  const matches: Matches = { paths: [], late: false };
  if (!/[*?[\]{}]/.test(pattern)) return matches;
  const entries = glob(pattern, {
    cwd: globBase(pattern),
    withFileTypes: true,
    exclude: (candidate) => skippedFolders.has(candidate.name),
  });
  const walk = async (): Promise<void> => {
    for await (const entry of entries) {
      if (matches.late || matches.paths.length > rulesLimits.files) break;
      if (!entry.isDirectory()) matches.paths.push(join(entry.parentPath, entry.name));
    }
  };
  matches.late = !(await finishedWithin(
    walk().catch(() => {}),
    globMs,
  ));
  matches.paths.sort();
  return matches;
}

const skippedFolders = new Set(["node_modules", ".git"]);

/** The part of a glob before its first wildcard. */
function globBase(pattern: string): string {
  const plain = pattern.slice(0, pattern.search(/[*?[\]{}]/));
  const base = dirname(`${plain}x`);
  return isAbsolute(base) ? base : "/";
}
