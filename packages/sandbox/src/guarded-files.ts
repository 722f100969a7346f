import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gitSettings, isWithin, protectionOf } from "@landline/shell";

/** Below a folder: files that must not be read, and places that must not be changed. */
export interface GuardedFiles {
  readonly credentials: readonly string[];
  readonly protected: readonly string[];
  /** Folders that stay where they are, because what is below them is guarded by their names: `.git`, `.github`. */
  readonly pinned: readonly string[];
}

/** Entries that are looked at, those near the top first. */
const entriesMax = 20_000;
const foldersAtOnce = 32;
/** Large, and never written by hand. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "__pycache__"]);

/** Looks through the folders, breadth first. */
export async function guardedFiles(folders: readonly string[]): Promise<GuardedFiles> {
  const credentials: string[] = [];
  const places: string[] = [];
  const pinned = new Set<string>();
  let looked = 0;
  let pending = [...folders];
  while (pending.length > 0 && looked < entriesMax) {
    const next = pending.slice(0, foldersAtOnce);
    pending = pending.slice(foldersAtOnce);
    const lists = await Promise.all(next.map(entriesOf));
    for (const [index, folder] of next.entries()) {
      for (const entry of lists[index] ?? []) {
        looked += 1;
        const path = join(folder, entry.name);
        const kind = protectionOf(path)?.kind;
        // No mount can cover a link, so what it leads to is guarded.
        if (entry.isSymbolicLink()) {
          const target = kind === undefined ? null : await realpath(path).catch(() => null);
          if (target === null || isWithin(target, folder)) continue;
          (kind === "credential" ? credentials : places).push(target);
          continue;
        }
        if (entry.name === ".git" && entry.isDirectory()) {
          places.push(...(await gitPlaces(path)));
          pinned.add(path);
          continue;
        }
        if (kind !== undefined) for (const above of namesAbove(path)) pinned.add(above);
        switch (kind) {
          case "credential":
            credentials.push(path);
            break;
          case "protected":
            places.push(path);
            break;
          case undefined:
            if (entry.isDirectory() && !skipped.has(entry.name)) pending.push(path);
        }
      }
    }
  }
  return {
    credentials,
    protected: places,
    pinned: [...pinned].filter((path) => folders.some((folder) => isBelow(folder, path))),
  };
}

/** git commits write below `.git`. What makes git run programs stays as it is, for each working tree. */
async function gitPlaces(folder: string): Promise<string[]> {
  const trees = await entriesOf(join(folder, "worktrees"));
  const folders = [folder, ...trees.map(({ name }) => join(folder, "worktrees", name))];
  return folders.flatMap((each) => gitSettings.map((name) => join(each, name)));
}

/** The folders whose names make a path guarded: under another name it would not be. */
function namesAbove(path: string): string[] {
  const above: string[] = [];
  let name = basename(path);
  for (let folder = dirname(path); protectionOf(`/${name}`) === null; folder = dirname(folder)) {
    if (folder === dirname(folder)) break;
    above.push(folder);
    name = join(basename(folder), name);
  }
  return above;
}

function isBelow(folder: string, path: string): boolean {
  return path !== folder && isWithin(folder, path);
}

/** A folder that we cannot list, the confined program cannot list either: it runs as the same user. */
function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
