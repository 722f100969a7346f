import { dirname } from "node:path";
import { foldersBetween, isBelow } from "./guarded-files.ts";

/**
 * bubblewrap accepts 9,000 arguments, three for each mount, and its time grows with the square of the mounts: about a
 * second for these.
 */
export const guardsMax = 1_000;

/**
 * Returns the credentials to cover. If they and the folders above them need more than `max` mounts, it returns the
 * folders that contain the most of them instead. Throws if that is still too many.
 */
export function limitCovers(
  credentials: readonly string[],
  roots: readonly string[],
  max: number,
): string[] {
  let covers = [...new Set(credentials)];
  while (mountsFor(covers, roots) > max) {
    const holders = Map.groupBy(covers, (path) => dirname(path));
    const largest = [...holders]
      .filter(([folder]) => roots.some((root) => isBelow(root, folder)))
      .toSorted(([, some], [, others]) => others.length - some.length);
    if (largest.length === 0) throw new Error(tooMany(roots));
    let excess = mountsFor(covers, roots) - max;
    const covered = new Set<string>();
    for (const [folder, { length }] of largest) {
      if (excess <= 0) break;
      covered.add(folder);
      excess -= length;
    }
    covers = [...covered, ...covers.filter((path) => !isHeld(covered, path))];
    covers = covers.filter((path) => !covered.has(path) || !isHeld(covered, path));
  }
  return covers;
}

function mountsFor(covers: readonly string[], roots: readonly string[]): number {
  return covers.length + new Set(covers.flatMap((path) => foldersBetween(roots, path))).size;
}

function isHeld(folders: ReadonlySet<string>, path: string): boolean {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above))
    if (folders.has(above)) return true;
  return false;
}

function tooMany(roots: readonly string[]): string {
  return `There are too many credentials and protected places in ${roots.join(", ")} to guard each of them in a sandbox (more than ${guardsMax}). Move them to folders of their own.`;
}
