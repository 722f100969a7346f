import { constants, type Dirent, type OpenDirOptions } from "node:fs";
import { access, opendir, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gitConfigPaths, mayBeProtectedName, isWithin, protectionOf } from "@landline/shell";
import { isMissing, isShortage } from "./file-errors.ts";

/** Files below a folder that must not be read, and places that must not be changed. */
export interface GuardedFiles {
  /** Contains a root if the root cannot be searched, or if a credential in it has a name that cannot be mounted. */
  readonly credentials: readonly string[];
  readonly protected: readonly string[];
  /** Folders that must not be renamed, because paths below them are guarded by name: `.git`, `.github`. */
  readonly pinned: readonly string[];
}

/** The most entries to examine, breadth first. That many take some seconds. */
const entriesMax = 1_000_000;
const foldersAtOnce = 32;
/** The kernel accepts 4,096 bytes, and bubblewrap prepends a folder. Deeper folders are covered as a whole. */
const pathBytesMax = 3_000;
/** Large folders that contain no handwritten files. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "__pycache__"]);
/** Kernel files: they contain no credentials of a project, and programs need them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

export interface GuardSearch {
  /** A link's target is a credential if it is below one of these or has the name of one. Default: the roots. */
  readonly shown?: readonly string[];
  /** Throws if there are more entries than `entriesMax`: a program could hide a credential behind its own files. */
  readonly isWhole?: boolean;
  readonly entries?: number;
}

/** Searches the roots, breadth first. */
export async function guardedFiles(
  roots: readonly string[],
  { shown = roots, isWhole = false, entries = entriesMax }: GuardSearch = {},
): Promise<GuardedFiles> {
  const credentials = new Set<string>();
  const places = new Set<string>();
  const pinned = new Set<string>();
  const isCredential = (target: string) =>
    shown.some((folder) => isBelow(folder, target)) ||
    (protectionOf(target)?.kind === "credential" &&
      !kernelFolders.some((folder) => isWithin(folder, target)));
  let left = entries;
  const pending = roots.map((path): Folder => ({ path, covered: path, bytes: null }));
  for (let done = 0; done < pending.length && left >= 0;) {
    const next = pending.slice(done, done + foldersAtOnce);
    done += next.length;
    const lists = await Promise.all(next.map((folder) => listing(folder, left)));
    for (const [index, folder] of next.entries()) {
      const list = lists[index];
      // The confined program runs as the owner, so it could make the folder readable.
      if (!list) credentials.add(folder.covered);
      const { entries: found, looked } = list ?? nothing;
      left -= looked;
      for (const entry of found) {
        const isFolder = entry.isDirectory();
        const { path, covered, bytes } = entryBelow(folder, entry);
        const isNamed = bytes === null;
        const kind = mayBeProtectedName(entry.name) ? protectionOf(path)?.kind : undefined;
        // A mount cannot cover a link, so the target is guarded.
        if (entry.isSymbolicLink()) {
          const target = kind === undefined ? null : await realpath(path).catch(() => null);
          if (target === null || isWithin(target, folder.path)) continue;
          if (kind === "protected") places.add(target);
          else if (isCredential(target)) credentials.add(target);
          continue;
        }
        if (entry.name === ".git" && isFolder) {
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
            if (!isFolder || skipped.has(entry.name)) break;
            if (byteLength(path, bytes) > pathBytesMax) credentials.add(covered);
            else pending.push({ path, covered, bytes });
        }
      }
    }
  }
  if (left < 0 && isWhole) throw new Error(tooManyFiles(roots, entries));
  return {
    credentials: [...credentials],
    protected: [...places],
    pinned: [...pinned].filter((path) => roots.some((folder) => isBelow(folder, path))),
  };
}

function tooManyFiles(roots: readonly string[], entries: number): string {
  return `There are more than ${entries.toLocaleString("en")} files and folders in ${roots.join(", ")}, too many to look for credentials among them. Keep data outside (a link to it can stay), or turn the sandbox off in the configuration.`;
}

interface Folder {
  readonly path: string;
  /** The path to cover: its own, or the nearest parent whose name is UTF-8. */
  readonly covered: string;
  /** Null: the path is UTF-8, which program arguments require. */
  readonly bytes: Buffer | null;
}

interface Entry extends Pick<Dirent, "name" | "isDirectory" | "isSymbolicLink"> {
  /** Set if the name is not UTF-8. */
  readonly bytes?: Buffer;
}

function entryBelow(folder: Folder, entry: Entry): Folder {
  const path = join(folder.path, entry.name);
  if (folder.bytes === null && !entry.bytes) return { path, covered: path, bytes: null };
  const above = folder.bytes ?? Buffer.from(folder.path);
  const bytes = Buffer.concat([above, Buffer.from("/"), entry.bytes ?? Buffer.from(entry.name)]);
  return { path, covered: folder.covered, bytes };
}

function byteLength(path: string, bytes: Buffer | null): number {
  return bytes?.length ?? Buffer.byteLength(path);
}

/** git commits write below `.git`. Settings that make git run programs are protected, for each working tree. */
async function gitPlaces(folder: string): Promise<{ settings: string[]; unlisted: string[] }> {
  const worktrees = join(folder, "worktrees");
  const [own, trees] = await Promise.all([folder, worktrees].map(pathsIn));
  if (!own) return { settings: [], unlisted: [folder] };
  const names = trees ?? [];
  const lists = await Promise.all(names.map(pathsIn));
  const settings = [folder, ...names].flatMap((each) =>
    gitConfigPaths.map((name) => join(each, name)),
  );
  const unlisted = names.filter((_, index) => lists[index] === null);
  const isListed = (path: string) => !unlisted.some((each) => isWithin(each, path));
  return {
    settings: settings.filter(isListed),
    unlisted: trees === null ? [worktrees] : unlisted,
  };
}

/** Null: it cannot be searched. */
function pathsIn(folder: string): Promise<string[] | null> {
  return unlessUnsearchable(folder, [], async () =>
    (await readdir(folder)).map((name) => join(folder, name)),
  );
}

/** The folders whose names make a path guarded. If one is renamed, the path is no longer guarded. */
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

/** The folders between a root and a path. If they cannot be renamed, neither can the guarded path below them. */
export function foldersBetween(roots: readonly string[], path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    above.push(folder);
  return above.filter((folder) => roots.some((root) => isBelow(root, folder)));
}

export function isBelow(folder: string, path: string): boolean {
  return path !== folder && isWithin(folder, path);
}

/** A folder of this size has too many entries to load into memory at once. */
const folderBytesMax = 4 * 1_024 * 1_024;
const entriesAtOnce = 1_024;

interface Listing {
  /** Folders, and entries whose names may be special. */
  readonly entries: readonly Entry[];
  /** The number of entries that were examined. */
  readonly looked: number;
}

const nothing: Listing = { entries: [], looked: 0 };

/** Examines about `max` entries. Null: it cannot be searched. */
function listing({ path, bytes }: Folder, max: number): Promise<Listing | null> {
  const folder = bytes ?? path;
  return unlessUnsearchable(folder, nothing, async () => {
    const { size } = await stat(folder);
    return size > folderBytesMax ? listedInParts(folder, max) : listedAtOnce(folder);
  });
}

async function unlessUnsearchable<Found>(
  folder: Buffer | string,
  missing: Found,
  search: () => Promise<Found>,
): Promise<Found | null> {
  try {
    const found = await search();
    await access(folder, constants.X_OK);
    return found;
  } catch (error) {
    if (isMissing(error)) return missing;
    if (isShortage(error)) throw error;
    return null;
  }
}

async function listedAtOnce(folder: Buffer | string): Promise<Listing> {
  const all = await readdir(folder, { withFileTypes: true });
  // A name that is not UTF-8 must be read as bytes.
  if (all.some(({ name }) => name.includes("\u{fffd}"))) return listedInParts(folder, Infinity);
  return { entries: all.filter(isOfInterest), looked: all.length };
}

async function listedInParts(folder: Buffer | string, max: number): Promise<Listing> {
  const options = { encoding: "buffer", bufferSize: entriesAtOnce } as unknown as OpenDirOptions;
  const entries: Entry[] = [];
  let looked = 0;
  for await (const entry of await opendir(folder, options)) {
    const bytes = entry.name as unknown as Buffer;
    const name = bytes.toString();
    const [isDirectory, isSymbolicLink] = [entry.isDirectory(), entry.isSymbolicLink()];
    const isNamed = Buffer.from(name).equals(bytes);
    const one: Entry = {
      name,
      isDirectory: () => isDirectory,
      isSymbolicLink: () => isSymbolicLink,
      ...(!isNamed && { bytes }),
    };
    if (isOfInterest(one)) entries.push(one);
    looked += 1;
    if (looked > max) break;
  }
  return { entries, looked };
}

function isOfInterest(entry: Entry): boolean {
  return entry.isDirectory() || mayBeProtectedName(entry.name);
}
