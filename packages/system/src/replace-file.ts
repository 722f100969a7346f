import type { Stats } from "node:fs";
import {
  type FileHandle,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { unlessMissing } from "./missing-file.ts";

/**
 * Replaces a file atomically: after a crash it has the old or the new content, never a part. The draft is synced before
 * the rename, because a file system may write the rename to disk before the content.
 */
export async function renameOver(
  { draft, target }: { readonly draft: string; readonly target: string },
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await writeDraft(draft, mode, write);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(
  draft: string,
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  await using handle = await open(draft, "wx", mode);
  await write(handle);
  await handle.datasync();
}

/**
 * Gives a draft the owner and mode of the replaced file. The owner first, because chown clears the set-user-id bits.
 */
export async function keepRights(
  handle: FileHandle,
  before: Stats,
  mode = before.mode & 0o7777,
): Promise<void> {
  const now = await handle.stat();
  const isSame = now.uid === before.uid && now.gid === before.gid;
  const isKept =
    isSame ||
    (await handle.chown(before.uid, before.gid).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (!["EPERM", "EINVAL", "ENOSYS"].includes(error.code ?? "")) throw error;
        return false;
      },
    ));
  // Without the set-user-id bits if the owner differs: it would run as our user.
  await handle.chmod(isKept ? mode : mode & 0o777);
}

/**
 * Replaces a private file. Keeps a link to it and its owner. A process that is killed here leaves a draft, see
 * `removeTemporaryFiles`.
 */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  const target = await realpath(path).catch(unlessMissing(path));
  const before = await stat(target).catch(unlessMissing(null));
  const draft = `${target}.${Math.floor(Math.random() * 2 ** 47)}`;
  await renameOver({ draft, target }, 0o600, async (handle) => {
    await handle.writeFile(content);
    if (before !== null) await keepRights(handle, before, 0o600);
  });
}

/** Drafts that killed processes left, and those that are being written. */
export async function temporaryFilesOf(path: string): Promise<string[]> {
  const target = await realpath(path).catch(() => path);
  const folder = dirname(target);
  const beginning = `${basename(target)}.`;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.startsWith(beginning))
    .filter(({ name }) => /^\d+$/.test(name.slice(beginning.length)))
    .map(({ name }) => join(folder, name));
}

/** Only for the exclusive writer of the file. A draft that can't be removed is retried next time. */
export async function removeTemporaryFiles(path: string): Promise<void> {
  for (const draft of await temporaryFilesOf(path)) await unlink(draft).catch(() => undefined);
}
