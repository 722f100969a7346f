import { mkdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { hasErrorCode, isDiskFull } from "@landline/system/error-code";
import { LandlineError } from "@landline/protocol";
import { takeLock } from "./lock.ts";
import { readOwner, thisProcess, writeOwner } from "./owner.ts";

/** The data folder, locked by this process until `close` or the end of the process. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  /** The folder of the logs. */
  readonly sessions: string;
  /** The file of the index. */
  readonly database: string;
  /** The disk was full at the start. Existing sessions can be read and deleted. */
  readonly isFull: boolean;
  /** Releases the lock. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates the folder if needed, checks that only this user can write to it, and locks it. Files get explicit
 * modes instead of a umask, because agents would inherit a umask.
 */
export async function openFolder(path: string): Promise<DataFolder> {
  const folder = resolve(path);
  await attempt(folder, () => makeFolder(folder));
  await checkOwnership(folder);
  const ownerPath = join(folder, "owner.json");
  const lock = await attempt(folder, () => takeLock(join(folder, "lock.sqlite")));
  if (lock === null) throw await lockedBySomebody(folder, ownerPath);
  const sessions = join(folder, "sessions");
  let isFull: boolean;
  try {
    isFull = await attempt(folder, () => signOwner(ownerPath));
    await attempt(folder, () => makeFolder(sessions));
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= giveFree(ownerPath, lock));
  return {
    path: folder,
    sessions,
    database: join(folder, "derived.sqlite"),
    isFull,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Returns whether the disk was full. That is not an error: the lock holds anyway, and users must be able to delete
 * sessions.
 */
async function signOwner(ownerPath: string): Promise<boolean> {
  try {
    await writeOwner(ownerPath, thisProcess());
    return false;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // The old content names a process that has ended.
    await rm(ownerPath, { force: true });
    return true;
  }
}

/** Without `recursive`, which never returns if no folder can be created (/proc). */
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make().catch(async (error: unknown) => {
      if (!hasErrorCode(error, "ENOENT") || dirname(path) === path) throw error;
      await makeFolder(dirname(path));
      await make();
    });
  } catch (error) {
    const exists = hasErrorCode(error, "EEXIST");
    if (!exists || !(await stat(path)).isDirectory()) throw error;
  }
}

async function giveFree(ownerPath: string, lock: Disposable): Promise<void> {
  try {
    await rm(ownerPath, { force: true });
  } finally {
    lock[Symbol.dispose]();
  }
}

async function checkOwnership(folder: string): Promise<void> {
  const status = await attempt(folder, () => stat(folder));
  // Windows has no POSIX owners and modes.
  const us = process.getuid?.();
  if (us === undefined) return;
  if (status.uid !== us)
    throw unusable(
      folder,
      `belongs to another user (${status.uid}; this process runs as ${us})`,
      `Run: sudo chown -R ${us} '${folder}', or choose another folder with --data.`,
    );
  if ((status.mode & 0o022) !== 0)
    throw unusable(
      folder,
      `can be written to by other users (mode ${(status.mode & 0o7777).toString(8)})`,
      `Run: chmod 700 '${folder}', or choose another folder with --data.`,
    );
}

async function lockedBySomebody(folder: string, ownerPath: string): Promise<LandlineError> {
  const owner = await readOwner(ownerPath);
  const who =
    owner === null
      ? "another process"
      : `process ${owner.pid} on ${owner.host} since ${owner.startedAt}`;
  return new LandlineError("folder-locked", {
    message: `The data folder ${folder} is used by ${who}; stop it, or choose another folder with --data.`,
    data: { path: folder, owner },
  });
}

const reasons: Readonly<Record<string, readonly [because: string, help: string]>> = {
  EEXIST: ["is not a folder", "Move the file away, or choose another folder with --data."],
  ENOTDIR: ["is inside something that is not a folder", "Choose another folder with --data."],
  ENOENT: ["can't be created there", "Choose another folder with --data."],
  EACCES: [
    "is not accessible",
    "Give yourself write permission there, or choose another folder with --data.",
  ],
  EPERM: [
    "is not accessible",
    "Give yourself write permission there, or choose another folder with --data.",
  ],
  EROFS: [
    "is on a read-only file system",
    "Remount it with: mount -o remount,rw, or choose another folder with --data.",
  ],
};

async function attempt<Result>(
  folder: string,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof LandlineError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (isDiskFull(error))
      throw new LandlineError("disk-full", {
        message: `The disk of the data folder ${folder} is full.`,
        data: { path: folder },
        cause: error,
      });
    const [because, help] = reasons[code] ?? [
      `can't be used (${code})`,
      "Choose another folder with --data.",
    ];
    throw unusable(folder, because, help, error);
  }
}

function unusable(folder: string, because: string, help: string, cause?: unknown): LandlineError {
  return new LandlineError("folder-unusable", {
    message: `The data folder ${folder} ${because}. ${help}`,
    help,
    data: { path: folder },
    ...(cause === undefined ? {} : { cause }),
  });
}
