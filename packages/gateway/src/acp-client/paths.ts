import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { hasErrorCode } from "@landline/system/error-code";
import type { DutyContext } from "./duty.ts";
import { absolutePath, checkNewNames } from "./paths/absolute-path.ts";
import { refusal, systemRefusal } from "./paths/refusal.ts";

/**
 * The jail. Every path that an agent names comes through here, and what leaves here is inside the
 * session's roots with all links resolved. A path is only a promise until it is opened, so what was
 * opened is looked at again: a link that is put in between does not lead out.
 */
export type Purpose = "read" | "write";

/** A place inside the roots: what is there already, and what is missing below it. */
export interface Place {
  readonly existing: string;
  readonly missing: readonly string[];
}

interface Found extends Place {
  /** What the system said to one name more; null when nothing is missing. */
  readonly obstacle: unknown;
}

/** The file's own path: absolute, no links, inside a root. With "write", it may be one that is yet to be made. */
export async function resolvePath(
  context: DutyContext,
  path: string,
  purpose: Purpose,
): Promise<string> {
  const { existing, missing } = await placeOf(context, path);
  if (missing.length > 0) {
    if (purpose === "read") throw refusal("missing");
    checkNewNames(missing);
    return [existing === sep ? "" : existing, ...missing].join(sep);
  }
  checkKind(await factsOf(existing));
  return existing;
}

/** A folder's own path, for a command to run in. */
export async function resolveFolder(context: DutyContext, path: string): Promise<string> {
  const { existing, missing } = await placeOf(context, path);
  if (missing.length > 0) throw refusal("missing");
  if (!(await factsOf(existing)).isDirectory()) throw refusal("not-a-folder");
  return existing;
}

/** Opens what `resolvePath` resolved, and makes sure that this is what was opened. */
export async function openForReading(
  context: DutyContext,
  resolved: string,
): Promise<{ readonly handle: FileHandle; readonly facts: Stats }> {
  // Not blocking: a FIFO that was put in its place has no writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await openOrRefuse(resolved, flags);
  try {
    const facts = await handle.stat();
    checkKind(facts);
    await checkOpened(context, handle, resolved);
    return { handle, facts };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A folder inside the roots, held open, so that a name in it means what it meant when it was checked. */
export async function openFolder(context: DutyContext, resolved: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
  const handle = await openOrRefuse(resolved, flags);
  try {
    await checkOpened(context, handle, resolved);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Refuses what is open when it lies outside: by what the system says it is, or by looking the path up again. */
export async function checkOpened(
  context: DutyContext,
  handle: FileHandle,
  resolved: string,
): Promise<void> {
  const path = await pathOfOpened(handle);
  if (path !== null) {
    if (!isInside(context, path)) throw refusal("outside");
    return;
  }
  const [again, facts, opened] = await Promise.all([
    realpath(resolved),
    stat(resolved),
    handle.stat(),
  ]);
  if (!isInside(context, again) || facts.ino !== opened.ino || facts.dev !== opened.dev) {
    throw refusal("outside");
  }
}

/** Linux knows the path of an open file; elsewhere it has to be looked up again. */
export async function pathOfOpened(handle: FileHandle): Promise<string | null> {
  if (process.platform !== "linux") return null;
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
}

/** A name in an open folder. Where the system has no path for what is open, it is the folder's own path. */
export async function inFolder(folder: FileHandle, path: string, name: string): Promise<string> {
  const known = (await pathOfOpened(folder)) !== null;
  return join(known ? `/proc/self/fd/${folder.fd}` : path, name);
}

/** How often a path is looked at again when it comes into being while it is looked at. */
const LOOKS = 10;

export async function placeOf(context: DutyContext, path: string): Promise<Place> {
  const absolute = absolutePath(context, path);
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await deepestExisting(absolute);
    if (!isInside(context, found.existing)) throw refusal("outside");
    if (found.missing.length === 0) return found;
    if (!hasErrorCode(found.obstacle, "ENOENT", "ENOTDIR")) throw systemRefusal(found.obstacle);
    if (found.missing.includes("..") || !(await factsOf(found.existing)).isDirectory()) {
      throw refusal("missing");
    }
    const [next = ""] = found.missing;
    const taken = await lstat(`${found.existing}${sep}${next}`).catch(() => null);
    if (taken === null) return found;
    // There is nothing behind it, and yet its name is taken.
    if (taken.isSymbolicLink()) throw refusal("dead-link");
  }
  throw refusal("missing");
}

async function deepestExisting(absolute: string): Promise<Found> {
  const parts = absolute.split(sep).filter((part) => part !== "" && part !== ".");
  let obstacle: unknown = null;
  for (let kept = parts.length; kept >= 0; kept -= 1) {
    try {
      const existing = await realpath(sep + parts.slice(0, kept).join(sep));
      return { existing, missing: parts.slice(kept), obstacle };
    } catch (error) {
      // Told only once it is known to be inside: what is outside looks the same, there or not.
      obstacle = error;
    }
  }
  throw systemRefusal(obstacle);
}

/** Files of these are made up by the system, and some tell what the gateway itself knows (its environment). */
const systemFolders = ["/proc", "/sys", "/dev"];

function isInside(context: DutyContext, path: string): boolean {
  if (context.closed?.some((folder) => isBelow(folder, path)) === true) return false;
  const system = systemFolders.find((folder) => isBelow(folder, path));
  if (system === "/proc") return false;
  return context.roots.some(
    (root) => isBelow(root, path) && (system === undefined || isBelow(system, root)),
  );
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function checkKind(facts: Stats): void {
  if (facts.isDirectory()) throw refusal("folder");
  if (!facts.isFile()) throw refusal("special");
}

async function factsOf(resolved: string): Promise<Stats> {
  try {
    return await lstat(resolved);
  } catch (error) {
    throw systemRefusal(error);
  }
}

async function openOrRefuse(resolved: string, flags: number): Promise<FileHandle> {
  try {
    return await open(resolved, flags);
  } catch (error) {
    throw systemRefusal(error);
  }
}
