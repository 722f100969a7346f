import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "@landline/shell";
import { hasErrorCode } from "@landline/system/error-code";
import {
  type CheckOpened,
  inFolder,
  openFileChecked,
  openFolderChecked,
  realPathOfOpened,
} from "@landline/system/opened-path";
import { fileSystemProblem, systemCode } from "./file-system-problem.ts";
import { FileProblem, type LocatedPath } from "./workspace.ts";

/** What an operation on a file needs: its name for messages, and where it was when it was checked. */
export type Located = Pick<LocatedPath, "path" | "real">;

/** Opens the file that was checked, for reading. */
export function openLocated({ path, real }: Located) {
  return withProblems({ path, real }, () => openFileChecked(real, checkFor(path)));
}

/** The path of a name in an open folder; `.` is the folder itself. */
export type At = (name: string) => Promise<string>;

/**
 * Works in a folder that was checked. It is kept open, so that a link in its place cannot redirect the work. With
 * `make`, missing folders are created.
 */
export function inLocatedFolder<Value>(
  { path, real }: Located,
  { make }: { make: boolean },
  work: (at: At) => Promise<Value>,
): Promise<Value> {
  return withProblems({ path, real }, async () => {
    // Windows cannot open a folder.
    if (process.platform === "win32") {
      if (make) await mkdir(real, { recursive: true });
      await requireUnchanged({ path, real });
      return work(async (name) => join(real, name));
    }
    const place = make ? await placeOf(real) : { existing: real, missing: [] };
    await using folder = await openFolderChecked(place, checkFor(path));
    return await work((name) => inFolder(folder, real, name));
  });
}

/** Fails if the path leads elsewhere now. For a client, which opens files by name. */
export async function requireLocated({ path, real }: Located): Promise<void> {
  if (!isSamePath(await realPath(path), real)) throw pathChanged(path);
}

/** Fails if a part of a real path has become a link. */
async function requireUnchanged({ path, real }: Located): Promise<void> {
  await requireLocated({ path: real, real }).catch(() => {
    throw pathChanged(path);
  });
}

function checkFor(path: string): CheckOpened {
  return async (handle, expected) => {
    const opened = await realPathOfOpened(handle, expected);
    if (opened !== null && isSamePath(opened, expected)) return;
    // Somebody replaced or removed the file since it was opened, which is no link.
    if (opened === `${expected} (deleted)` && (await handle.stat()).nlink === 0) return;
    throw pathChanged(path);
  };
}

/** The part of a folder that exists, and the missing names below it. */
async function placeOf(folder: string): Promise<{ existing: string; missing: string[] }> {
  const missing: string[] = [];
  for (let existing = folder; ; existing = dirname(existing)) {
    try {
      await lstat(existing);
      return { existing, missing };
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT") || existing === dirname(existing)) throw error;
      missing.unshift(basename(existing));
    }
  }
}

async function withProblems<Value>(located: Located, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // The system reports a link in the path in several ways.
    await requireUnchanged(located);
    throw fileSystemProblem(error, located.path);
  }
}

/** Systems other than Linux may ignore case, and a missing file keeps the case in which it was named. */
function isSamePath(one: string, other: string): boolean {
  if (process.platform === "linux") return one === other;
  return one.normalize().toLowerCase() === other.normalize().toLowerCase();
}

export function pathChanged(path: string): FileProblem {
  return new FileProblem(
    "path-changed",
    path,
    `${path} leads to another file or folder than when it was checked: a part of it was replaced. Check the path, and try again.`,
  );
}
