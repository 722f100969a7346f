import type { Stats } from "node:fs";
import { type FileHandle, lstat, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { hasErrorCode } from "@landline/system/error-code";
import { openFileChecked, realPathOfOpened } from "@landline/system/opened-path";
import type { SessionContext } from "./session-context.ts";
import { absolutePath, checkNewNames } from "./paths/absolute-path.ts";
import { refusal, systemRefusal } from "./paths/refusal.ts";

/**
 * Confines file access. Every path from an agent is resolved here, links included, and must lie inside the session's roots.
 * Opened files are checked again, because a link may be created between the check and the opening.
 */
export type Purpose = "read" | "write";

/** A path inside the roots: the part that exists, and the missing names below it. */
export interface Place {
  readonly existing: string;
  readonly missing: readonly string[];
}

interface Found extends Place {
  /** The error for the first missing name; null if nothing is missing. */
  readonly obstacle: unknown;
}

/** The real path of a file: absolute, without links, inside a root. With "write", the file need not exist. */
export async function resolvePath(
  context: SessionContext,
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

/** The real path of a folder, for a command to run in. */
export async function resolveFolder(context: SessionContext, path: string): Promise<string> {
  const { existing, missing } = await placeOf(context, path);
  if (missing.length > 0) throw refusal("missing");
  if (!(await factsOf(existing)).isDirectory()) throw refusal("not-a-folder");
  return existing;
}

/** Opens what `resolvePath` returned, and checks that the opened file is the same. */
export async function openForReading(
  context: SessionContext,
  resolved: string,
): Promise<{ readonly handle: FileHandle; readonly facts: Stats }> {
  let facts: Stats | undefined;
  try {
    const handle = await openFileChecked(resolved, async (opened) => {
      facts = await opened.stat();
      checkKind(facts);
      await checkOpened(context, opened, resolved);
    });
    return { handle, facts: facts ?? (await handle.stat()) };
  } catch (error) {
    throw systemRefusal(error);
  }
}

/** Refuses an open file outside the roots. */
export async function checkOpened(
  context: SessionContext,
  handle: FileHandle,
  resolved: string,
): Promise<void> {
  const path = await realPathOfOpened(handle, resolved);
  if (path === null || !isInside(context, path)) throw refusal("outside");
}

/** How often a path is resolved again if it is created meanwhile. */
const LOOKS = 10;

export async function placeOf(context: SessionContext, path: string): Promise<Place> {
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
    // A link to nothing: the name is taken.
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
      // Reported only for paths inside the roots: an agent must not learn what exists outside.
      obstacle = error;
    }
  }
  throw systemRefusal(obstacle);
}

/** Files that the kernel generates. Some contain data of the gateway, such as its environment. */
const systemFolders = ["/proc", "/sys", "/dev"];

function isInside(context: SessionContext, path: string): boolean {
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
