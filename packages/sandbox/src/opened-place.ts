import { opendir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "@landline/shell";
import type { Access, PolicyAddition } from "./opening.ts";
import { accessWords } from "./opening-text.ts";
import { homeSettings } from "./policy.ts";

/** The path to open for a path outside the writable folders of a program. */
export interface OpenedPlace {
  /** Null: it would open too much. */
  readonly adds: PolicyAddition | null;
  readonly addsWhat: string;
  /** It contains many files that the program did not name. */
  readonly isBroad: boolean;
}

export interface PlaceBounds {
  /** A folder that contains one of these is not opened. */
  readonly kept: readonly string[];
  /** The real paths of folders that many programs share: `sharedNames` in the home folder. */
  readonly shared: readonly string[];
}

/** The file, or the folder of a missing file, because only an existing path can be mounted. */
export async function openedPlace(
  access: Access,
  path: string,
  { kept, shared }: PlaceBounds,
): Promise<OpenedPlace> {
  const file = await stat(path).catch(() => null);
  const opened = file ? path : await existingAbove(path);
  const isFolder = file === null || file.isDirectory();
  const addsWhat = accessWords(access, opened, isFolder);
  const isBroad =
    ![path, dirname(path)].includes(opened) || isOfSystem(opened) || shared.includes(opened);
  // A program controls its output, so one wrong answer must not open everything.
  const isTooMuch =
    kept.some((each) => isWithin(opened, each)) ||
    neverOpened.some((each) => isWithin(each, opened)) ||
    // A folder that cannot be searched may contain a socket.
    (isFolder ? await holdsSocket(opened).catch(() => true) : file.isSocket());
  const adds = access === "read" ? ({ read: [opened] } as const) : ({ write: [opened] } as const);
  return { adds: isTooMuch ? null : adds, addsWhat, isBroad };
}

/** The nearest parent folder that exists. */
export async function existingAbove(path: string): Promise<string> {
  const above = dirname(path);
  const found = await stat(above).catch(() => null);
  return found?.isDirectory() === true || above === path ? above : existingAbove(above);
}

/** Folders below the home folder that many programs share. */
export const sharedNames: readonly string[] = [
  ...homeSettings,
  ".cache",
  ".config",
  ".local",
  ".local/share",
  ".local/state",
  "Library",
  "Library/Application Support",
  "Library/Caches",
  "Library/Preferences",
];

/**
 * They contain no personal files. Some files name programs that the kernel runs, and a program that can read a socket
 * below `/run` controls its service.
 */
const neverOpened = ["/proc", "/sys", "/dev", "/run"];

/** Other users' programs run or read the files there. */
const systemFolders = [
  "/bin",
  "/boot",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix",
  "/sbin",
  "/usr",
  "/Applications",
  "/Library",
  "/System",
  "/private/etc",
];

const systemTops = new Set(["/", "/var", "/private", "/private/var"]);

function isOfSystem(path: string): boolean {
  return systemTops.has(dirname(path)) || systemFolders.some((each) => isWithin(each, path));
}

/** The most files and folders to examine, from the top. */
const searchedMax = 5_000;

/** A program that can read a socket controls the service that listens on it. */
async function holdsSocket(folder: string): Promise<boolean> {
  const folders = [folder];
  let searched = 0;
  for (const each of folders) {
    const entries = await opendir(each).catch(nothingToSee);
    if (entries === null) continue;
    for await (const entry of entries) {
      if (entry.isSocket()) return true;
      if (entry.isDirectory()) folders.push(join(each, entry.name));
      searched += 1;
      if (searched === searchedMax) return false;
    }
  }
  return false;
}

/** If this user has no access to a folder, neither has a program of this user. */
function nothingToSee(error: NodeJS.ErrnoException): null {
  if (["EACCES", "ENOENT", "ENOTDIR"].includes(error.code ?? "")) return null;
  throw error;
}
