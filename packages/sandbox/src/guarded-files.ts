import { constants, type Dirent } from "node:fs";
import { access, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gitSettings, isWithin, protectionOf } from "@landline/shell";
import { isMissing, isShortage } from "./file-errors.ts";

/** Below a folder: files that must not be read, and places that must not be changed. */
export interface GuardedFiles {
  /** A root among them cannot be searched, or holds a credential that cannot be named. */
  readonly credentials: readonly string[];
  readonly protected: readonly string[];
  /** Folders that stay where they are, because what is below them is guarded by their names: `.git`, `.github`. */
  readonly pinned: readonly string[];
}

/** Entries that are looked at, those near the top first. */
const entriesMax = 20_000;
const foldersAtOnce = 32;
/** The kernel takes up to 4,096 bytes, and bubblewrap puts a folder in front. What lies deeper is covered as a whole. */
const pathBytesMax = 3_000;
/** Large, and never written by hand. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "__pycache__"]);
/** The kernel's own files: no credential of a project, and programs need them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

/** Looks through the roots, breadth first. A link's target is a credential if it is below one of `shown`, or named like one. */
export async function guardedFiles(
  roots: readonly string[],
  shown: readonly string[] = roots,
): Promise<GuardedFiles> {
  const credentials = new Set<string>();
  const places = new Set<string>();
  const pinned = new Set<string>();
  const isCredential = (target: string) =>
    shown.some((folder) => isBelow(folder, target)) ||
    (protectionOf(target)?.kind === "credential" &&
      !kernelFolders.some((folder) => isWithin(folder, target)));
  let looked = 0;
  let pending = roots.map(entryAt);
  while (pending.length > 0 && looked < entriesMax) {
    const next = pending.slice(0, foldersAtOnce);
    pending = pending.slice(foldersAtOnce);
    const lists = await Promise.all(next.map(({ bytes }) => entriesOf(bytes)));
    for (const [index, folder] of next.entries()) {
      // It can be made readable inside: by its owner, who the confined program runs as.
      if (lists[index] === null) credentials.add(folder.covered);
      for (const entry of lists[index] ?? []) {
        looked += 1;
        const { path, covered, bytes, isNamed } = entryBelow(folder, entry.name);
        const kind = protectionOf(path)?.kind;
        // No mount can cover a link, so what it leads to is guarded.
        if (entry.isSymbolicLink()) {
          const target = kind === undefined ? null : await realpath(path).catch(() => null);
          if (target === null || isWithin(target, folder.path)) continue;
          if (kind === "protected") places.add(target);
          else if (isCredential(target)) credentials.add(target);
          continue;
        }
        if (basename(path) === ".git" && entry.isDirectory()) {
          if (!isNamed) continue;
          const { settings, unlisted } = await gitPlaces(path);
          for (const place of settings) places.add(place);
          for (const place of unlisted) credentials.add(place);
          pinned.add(path);
          continue;
        }
        switch (kind) {
          case "credential":
            credentials.add(covered);
            break;
          case "protected":
            if (isNamed) for (const above of namesAbove(path)) pinned.add(above);
            if (isNamed) places.add(path);
            break;
          case undefined:
            if (!entry.isDirectory() || skipped.has(basename(path))) break;
            if (bytes.length > pathBytesMax) credentials.add(covered);
            else pending.push({ path, covered, bytes, isNamed });
        }
      }
    }
  }
  return {
    credentials: [...credentials],
    protected: [...places],
    pinned: [...pinned].filter((path) => roots.some((folder) => isBelow(folder, path))),
  };
}

interface Entry {
  readonly path: string;
  readonly bytes: Buffer;
  /** Where it is covered: at its path, or at the nearest folder above whose name is UTF-8. */
  readonly covered: string;
  /** Its path is UTF-8, as arguments of programs are. */
  readonly isNamed: boolean;
}

function entryAt(path: string): Entry {
  return { path, bytes: Buffer.from(path), covered: path, isNamed: true };
}

function entryBelow(folder: Entry, name: Buffer): Entry {
  const path = join(folder.path, name.toString());
  const isNamed = folder.isNamed && Buffer.from(name.toString()).equals(name);
  const bytes = Buffer.concat([folder.bytes, Buffer.from("/"), name]);
  return { path, bytes, covered: isNamed ? path : folder.covered, isNamed };
}

/** git commits write below `.git`. What makes git run programs stays as it is, for each working tree. */
async function gitPlaces(folder: string): Promise<{ settings: string[]; unlisted: string[] }> {
  const worktrees = join(folder, "worktrees");
  const [own, trees] = await Promise.all([folder, worktrees].map((path) => entriesOf(path)));
  if (!own) return { settings: [], unlisted: [folder] };
  const names = (trees ?? []).map(({ name }) => join(worktrees, name.toString()));
  const lists = await Promise.all(names.map((path) => entriesOf(path)));
  const settings = [folder, ...names].flatMap((each) =>
    gitSettings.map((name) => join(each, name)),
  );
  const unlisted = names.filter((_, index) => lists[index] === null);
  const isListed = (path: string) => !unlisted.some((each) => isWithin(each, path));
  return {
    settings: settings.filter(isListed),
    unlisted: trees === null ? [worktrees] : unlisted,
  };
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

/** The folders between a root and a path: while they stay where they are, so does what is guarded below. */
export function foldersBetween(roots: readonly string[], path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    above.push(folder);
  return above.filter((folder) => roots.some((root) => isBelow(root, folder)));
}

export function isBelow(folder: string, path: string): boolean {
  return path !== folder && isWithin(folder, path);
}

/** Null: it cannot be searched. Empty where there is no such folder. */
async function entriesOf(folder: Buffer | string): Promise<Dirent<Buffer>[] | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
    await access(folder, constants.X_OK);
    return entries;
  } catch (error) {
    if (isMissing(error)) return [];
    if (isShortage(error)) throw error;
    return null;
  }
}
