import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "@landline/shell";
import { isBelow } from "./guarded-files.ts";
import type { SandboxPolicy } from "./policy.ts";

export interface OpenedGuards {
  /** Must not be read. */
  readonly covered: readonly string[];
  /** Can be read but not changed. */
  readonly kept: readonly string[];
  /** Paths below `kept` that can be changed. */
  readonly opened: readonly string[];
}

/**
 * How credentials and protected places are guarded, except the paths that a person opened. Their siblings stay guarded.
 */
export async function guardsAround(
  credentials: readonly string[],
  places: readonly string[],
  { opened = [], openedToRead = [] }: Pick<SandboxPolicy, "opened" | "openedToRead">,
): Promise<OpenedGuards> {
  const isOpened = (path: string) => opened.some((one) => isWithin(one, path));
  const isReadable = (path: string) => openedToRead.some((one) => isWithin(one, path));
  const both = [...opened, ...openedToRead];
  const guarded = credentials.filter((path) => !isOpened(path));
  const secret = guarded.filter((path) => !isReadable(path));
  const parted = secret.filter((path) => both.some((one) => isBelow(path, one)));
  const kept = [
    ...guarded.filter(isReadable),
    ...parted,
    ...places.filter((path) => !isOpened(path)),
  ];
  const [beside, writable] = await Promise.all([
    Promise.all(parted.map((folder) => besideOpened(folder, both))),
    Promise.all(opened.map(openedPlace)),
  ]);
  return {
    covered: [...secret.filter((path) => !parted.includes(path)), ...beside.flat()],
    kept,
    opened: writable.filter(
      (path) => path !== null && kept.some((one) => isWithin(one, path)),
    ) as string[],
  };
}

/**
 * Everything in the folder except the opened paths and the folders above them. Links point to paths that are covered
 * themselves.
 */
async function besideOpened(folder: string, opened: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(async (entry) => {
      const path = join(folder, entry.name);
      if (opened.some((one) => isWithin(one, path))) return [];
      const isAbove = opened.some((one) => isWithin(path, one)) && entry.isDirectory();
      return isAbove ? besideOpened(path, opened) : [path];
    });
  return (await Promise.all(found)).flat();
}

/** Only an existing path can be mounted, so a missing file is replaced by its folder. Null if a link was redirected. */
async function openedPlace(path: string): Promise<string | null> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!isThere && path !== dirname(path)) return openedPlace(dirname(path));
  return (await realpath(path).catch(() => null)) === path ? path : null;
}
