import { readlink, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Kernels reject longer paths, but a program can reach the file from a parent folder. */
const pathBytesMax = 1_000;
/** The result for such a path: not valid UTF-8 (see `isInvalidUtf8`), and it cannot be created. */
const unknownPlace = "/dev/null/\uFFFD";

/** The number of links that the kernel follows in one path. */
const linksMax = 40;

/**
 * The path with all links followed as the kernel does it: `..` is the parent of the target of a link, so the path must
 * not be normalized first. Also follows dangling links; missing parts stay unchanged. Never throws.
 */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return followLinks(path, (at) => readlink(at).catch(() => null));
  }
}

/** The target of a link; null for anything else. If undefined, the kernel resolves the rest of the path. */
type TargetOf = (path: string) => Promise<string | null> | string | null | undefined;

/** Like `realPath`, with a function that reads links. Links are counted over the whole path. */
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

/** Compares names, without access to the file system. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
