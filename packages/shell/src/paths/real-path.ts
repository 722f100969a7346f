import { readlink, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Kernels look at no path that is longer, but a program gets there from a folder on its way. */
const pathBytesMax = 1_000;
/** Where such a path leads: to no place that a string names (see `isGarbled`), and where nothing can be made. */
const unknownPlace = "/dev/null/\uFFFD";

/** As many as the kernel follows on the way of one path. */
const linksMax = 40;

/**
 * The path with all links followed as the kernel follows them: `..` means the parent of where a link leads, so the path
 * must not be normalized before. Follows dead links too; what does not exist stays as it is. Never throws.
 */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return followLinks(path, (at) => readlink(at).catch(() => null));
  }
}

/** What a link holds; null for everything else. Undefined leaves the rest of the way to the kernel. */
type TargetOf = (path: string) => Promise<string | null> | string | null | undefined;

/** The same as `realPath`, with a look at each name on the way. Links are counted over the whole way. */
export async function followLinks(path: string, targetOf: TargetOf): Promise<string> {
  if (!path.startsWith("/")) return resolve(path);
  const rest = path.split("/").toReversed();
  let links = 0;
  let folder = "";
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0));
      continue;
    }
    const next = `${folder}/${name}`;
    if (Buffer.byteLength(next) > pathBytesMax) return unknownPlace;
    const target = await targetOf(next);
    if (target === undefined) return realPath([next, ...rest.toReversed()].join("/"));
    if (target === null || links >= linksMax) {
      folder = next;
      continue;
    }
    links += 1;
    if (isAbsolute(target)) folder = "";
    rest.push(...target.split("/").toReversed());
  }
  return folder || "/";
}

/** By name alone. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
