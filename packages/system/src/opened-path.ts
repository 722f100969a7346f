import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "./error-code.ts";

/**
 * Opens files and folders whose path was resolved and checked before. A link that is created after the check must not
 * lead elsewhere, so the caller checks the path of what was opened.
 */
export type CheckOpened = (handle: FileHandle, path: string) => Promise<void>;

/** Follows no link. Non-blocking: a FIFO in its place would have no writer. */
export const readingFlags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const folderFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);

export function openFileChecked(path: string, check: CheckOpened): Promise<FileHandle> {
  return openChecked(path, readingFlags, (handle) => check(handle, path));
}

/** An open folder: names in it keep the meaning that was checked. `missing` folders below it are created. */
export async function openFolderChecked(
  { existing, missing }: { readonly existing: string; readonly missing: readonly string[] },
  check: CheckOpened,
): Promise<FileHandle> {
  let at = existing;
  let folder = await openChecked(at, folderFlags, (handle) => check(handle, existing));
  for (const name of missing) {
    await using above = folder;
    const next = await inFolder(above, at, name);
    await mkdir(next).catch((error: unknown) => {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    });
    const path = join(at, name);
    folder = await openChecked(next, folderFlags, (handle) => check(handle, path));
    at = path;
  }
  return folder;
}

async function openChecked(
  path: string,
  flags: number,
  check: (handle: FileHandle) => Promise<void>,
): Promise<FileHandle> {
  const handle = await open(path, flags);
  try {
    await check(handle);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The real path of an open file: Linux reports it. Elsewhere the path is resolved again; null if it now leads to another
 * file.
 */
export async function realPathOfOpened(handle: FileHandle, path: string): Promise<string | null> {
  const reported = await pathOfOpened(handle);
  if (reported !== null) return reported;
  const [again, facts, opened] = await Promise.all([realpath(path), stat(path), handle.stat()]);
  return facts.ino === opened.ino && facts.dev === opened.dev ? again : null;
}

/** Null on systems that do not report the path of an open file. */
export async function pathOfOpened(handle: FileHandle): Promise<string | null> {
  if (process.platform !== "linux") return null;
  return readlink(descriptorPath(handle)).catch(() => null);
}

/** A name in an open folder. On systems without paths for descriptors, the path of the folder is used. */
export async function inFolder(folder: FileHandle, path: string, name: string): Promise<string> {
  const known = (await pathOfOpened(folder)) !== null;
  return join(known ? descriptorPath(folder) : path, name);
}

function descriptorPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
