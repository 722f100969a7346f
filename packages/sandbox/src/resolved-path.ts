import { lstat, readlink, realpath } from "node:fs/promises";
import { followLinks, isWithin } from "@landline/shell";
import type { Mount } from "./bubblewrap.ts";
import { isAbsent } from "./file-errors.ts";

/** A path that exists. */
export interface ResolvedPath {
  readonly name: string;
  /** The real path. */
  readonly real: string;
  /** The links in the path, each with the real path of its folder. */
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

/** Removes paths that a program could redirect, because a link in the path is in a folder that it can change. */
export function withoutRedirectable(paths: readonly ResolvedPath[], writable: readonly string[]) {
  const isChangeable = (link: string) => writable.some((folder) => isWithin(folder, link));
  return paths.filter(({ links }) => !links.some(isChangeable));
}

/** Mounts at the real path and at the given path, because the program may use either. */
export function mountsOf(paths: readonly ResolvedPath[]): Mount[] {
  return paths.flatMap(({ name, real: from }) =>
    [...new Set([from, name])].map((at) => ({ from, at })),
  );
}
