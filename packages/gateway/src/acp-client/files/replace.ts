import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "@landline/system/error-code";
import { inFolder, openFolderChecked, pathOfOpened } from "@landline/system/opened-path";
import { keepRights } from "@landline/system/replace-file";
import type { SessionContext } from "../session-context.ts";
import { checkKind, checkOpened, placeOf } from "../paths.ts";
import { systemRefusal } from "../paths/refusal.ts";
import type { Temporaries } from "./temporaries.ts";

export interface Replacement {
  readonly path: string;
  readonly text: Buffer;
  /** Called with the file's real path, from which it is not led away any more. What it throws prevents the write. */
  readonly check?: (path: string) => Promise<void>;
}

/**
 * Writes atomically: to a temporary file beside it, which is synced and renamed over it. Names are resolved in an open
 * folder, so that a link that is created meanwhile does not redirect the write; a link in place of the file is replaced.
 * Nothing is changed once the signal is aborted.
 */
export async function replaceFile(
  context: SessionContext,
  temporaries: Temporaries,
  { path, text, check }: Replacement,
  signal: AbortSignal,
): Promise<void> {
  try {
    await using folder = await folderFor(context, path);
    const target = await inFolder(folder, dirname(path), basename(path));
    await check?.(join((await pathOfOpened(folder)) ?? dirname(path), basename(path)));
    const before = await factsOf(target);
    if (before !== null) {
      checkKind(before);
      await checkWritable(target);
    }
    const noted = temporaries.note(path);
    const temporary = await inFolder(folder, dirname(path), noted.name);
    try {
      await writeTemporary(temporary, text, before, (handle) =>
        checkOpened(context, handle, join(dirname(path), noted.name)),
      );
      signal.throwIfAborted();
      await rename(temporary, target);
    } catch (error) {
      // If it cannot be removed, its note stays, and the next start removes it.
      if (await isRemoved(temporary)) noted.gone();
      throw error;
    }
    noted.gone();
  } catch (error) {
    throw systemRefusal(error);
  }
}

async function isRemoved(temporary: string): Promise<boolean> {
  try {
    await unlink(temporary);
    return true;
  } catch (error) {
    return hasErrorCode(error, "ENOENT");
  }
}

/** A rename needs no write permission for the file itself, so that is checked here. */
async function checkWritable(target: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await (await open(target, flags)).close();
  } catch (error) {
    // It was removed meanwhile, or it is a running program, which keeps using the old file.
    if (!hasErrorCode(error, "ENOENT", "ETXTBSY")) throw error;
  }
}

async function writeTemporary(
  temporary: string,
  text: Buffer,
  before: Stats | null,
  check: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  await using handle = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    before === null ? 0o666 : 0o600,
  );
  await check(handle);
  await handle.writeFile(text);
  if (before !== null) await keepRights(handle, before);
  await handle.sync();
}

/** The folder of the file, opened; missing folders are created. */
async function folderFor(context: SessionContext, path: string): Promise<FileHandle> {
  return openFolderChecked(await placeOf(context, dirname(path)), (handle, folder) =>
    checkOpened(context, handle, folder),
  );
}

async function factsOf(target: string): Promise<Stats | null> {
  try {
    return await lstat(target);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}
