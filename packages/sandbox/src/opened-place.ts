import { opendir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "@landline/shell";
import type { Access, PolicyAddition } from "./opening.ts";
import { accessWords } from "./opening-text.ts";
import { homeSettings } from "./policy.ts";

/** What is opened for a path outside of what a program may change. */
export interface OpenedPlace {
  /** Null: it would be too much. */
  readonly adds: PolicyAddition | null;
  readonly addsWhat: string;
  /** It holds much that the program did not name. */
  readonly isBroad: boolean;
}

export interface PlaceBounds {
  /** Nothing that holds one of them is opened. */
  readonly kept: readonly string[];
  /** Folders of many programs, links followed: `sharedNames` in the home folder. */
  readonly shared: readonly string[];
}

/** A file, or the folder of one that is not there: a mount needs something that exists. */
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
  // A program writes what it likes, and would get everything for one wrong answer.
  const isTooMuch =
    kept.some((each) => isWithin(opened, each)) ||
    neverOpened.some((each) => isWithin(each, opened)) ||
    // One that cannot be searched may hold anything.
    (isFolder ? await holdsSocket(opened).catch(() => true) : file.isSocket());
  const adds = access === "read" ? ({ read: [opened] } as const) : ({ write: [opened] } as const);
  return { adds: isTooMuch ? null : adds, addsWhat, isBroad };
}

/** The nearest folder above it that is there. */
export async function existingAbove(path: string): Promise<string> {
  const above = dirname(path);
  const found = await stat(above).catch(() => null);
  return found?.isDirectory() === true || above === path ? above : existingAbove(above);
}

/** Folders below the home folder in which many programs keep their files. */
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
 * They hold no files of people. Some of them name programs that the kernel runs, and whoever may read a socket below
 * `/run` can tell the service behind it to do anything.
 */
const neverOpened = ["/proc", "/sys", "/dev", "/run"];

/** What is changed there is run or read by programs of everybody. */
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

/** Files and folders that are looked at, from the top. */
const searchedMax = 5_000;

/** Whoever may read a socket can tell the service behind it what to do. */
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

/** What this user may not look into, a program of this user does not see either. */
function nothingToSee(error: NodeJS.ErrnoException): null {
  if (["EACCES", "ENOENT", "ENOTDIR"].includes(error.code ?? "")) return null;
  throw error;
}
