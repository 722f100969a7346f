import { lstat, readlink, realpath } from "node:fs/promises";
import { followLinks, isWithin } from "@landline/shell";
import type { Mount } from "./bubblewrap.ts";
import { isAbsent } from "./file-errors.ts";

/** A path that exists. */
export interface ResolvedPath {
  readonly name: string;
  /** Links followed. */
  readonly real: string;
  /** The links on its way, each by the real name of its folder. */
  readonly links: readonly string[];
}

export async function resolvedPaths(paths: readonly string[]): Promise<ResolvedPath[]> {
  const found = await Promise.all([...new Set(paths)].map(resolvedPath));
  return found.filter((path) => path !== null);
}

async function resolvedPath(name: string): Promise<ResolvedPath | null> {
  const found = isAbsent(name) ? null : await realpath(name).catch(() => null);
  if (found === null) return null;
  if (found === name) return { name, real: name, links: [] };
  const links: string[] = [];
  const real = await followLinks(name, async (path) => {
    const target = await readlink(path).catch(() => null);
    if (target !== null) links.push(path);
    return target;
  });
  const isThere = await lstat(real).then(
    () => true,
    () => false,
  );
  return isThere ? { name: links.length === 0 ? real : name, real, links } : null;
}

/** Without those that a program may lead elsewhere: a link on the way lies in a folder that it can change. */
export function unlessLed(paths: readonly ResolvedPath[], writable: readonly string[]) {
  const isChangeable = (link: string) => writable.some((folder) => isWithin(folder, link));
  return paths.filter(({ links }) => !links.some(isChangeable));
}

/** By its real name, and by the name that was given: the program may be told either. */
export function mountsOf(paths: readonly ResolvedPath[]): Mount[] {
  return paths.flatMap(({ name, real: from }) =>
    [...new Set([from, name])].map((at) => ({ from, at })),
  );
}
