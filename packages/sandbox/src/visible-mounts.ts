import { join, relative } from "node:path";
import { isWithin } from "@landline/shell";
import type { Mount } from "./bubblewrap.ts";
import { isBelow } from "./guarded-files.ts";

/**
 * Removes mounts that are already reachable: a visible link leads to the mount at the real path, and bubblewrap would
 * mount through it. `emptied` are folders in which only mounts are visible.
 */
export function visibleMounts(mounts: readonly Mount[], emptied: readonly string[]): Mount[] {
  const whole: Mount = { from: "/", at: "/" };
  const shown: Mount[] = [];
  for (const mount of mounts.toSorted((one, other) => one.at.length - other.at.length)) {
    const above = [whole, ...emptied.map((at) => ({ from: null, at })), ...shown]
      .filter(({ at }) => isBelow(at, mount.at))
      .reduce((one, other) => (other.at.length >= one.at.length ? other : one));
    const isSeen =
      above.from !== null && join(above.from, relative(above.at, mount.at)) !== mount.from;
    if (mount.from === mount.at || !isSeen) shown.push(mount);
  }
  return shown;
}

/** Returns a mount for each place at which a path is visible. */
export function byEachName(paths: readonly string[], mounts: readonly Mount[]): Mount[] {
  const names = paths.flatMap((path) => [
    { from: path, at: path },
    ...mounts
      .filter(({ from }) => isWithin(from, path))
      .map(({ from, at }) => ({ from: path, at: join(at, relative(from, path)) })),
  ]);
  return [...new Map(names.map((mount) => [mount.at, mount])).values()];
}
