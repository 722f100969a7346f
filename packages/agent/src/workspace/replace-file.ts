import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  access,
  type FileHandle,
  mkdir,
  open,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { realPath } from "@landline/shell";
import { systemCode, systemProblem } from "./system-problem.ts";
import { FileProblem } from "./workspace.ts";

/**
 * The file has the old text or the new one, never a part: written beside it, and renamed over it. Its
 * mode stays, and a link stays a link. Where nothing can be put beside a file that itself may be
 * written (it is mounted alone, its folder is closed), it is written in place.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const target = await realPath(path);
    const before = await factsOf(target, path);
    await mkdir(dirname(target), { recursive: true });
    if (before !== null) await access(target, constants.W_OK);
    try {
      await renameOver(target, bytes, before);
    } catch (error) {
      if (before === null || !mustWriteInPlace(error)) throw error;
      await writeFile(target, bytes);
    }
  } catch (error) {
    throw systemProblem(error, path);
  }
}

async function factsOf(target: string, path: string): Promise<Stats | null> {
  const facts = await stat(target).catch(absent);
  if (facts === null || facts.isFile()) return facts;
  if (facts.isDirectory()) {
    throw new FileProblem("is-a-directory", path, `${path} is a folder, not a file.`);
  }
  throw new FileProblem("failed", path, `${path} is a device or a pipe, not a file.`);
}

async function renameOver(target: string, bytes: Uint8Array, before: Stats | null): Promise<void> {
  const temporary = join(dirname(target), `.landline-${randomUUID()}`);
  try {
    await writeBeside(temporary, bytes, before);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeBeside(
  temporary: string,
  bytes: Uint8Array,
  before: Stats | null,
): Promise<void> {
  await using handle = await open(temporary, "wx", before === null ? 0o666 : 0o600);
  await handle.writeFile(bytes);
  if (before !== null) await keepRights(handle, before);
  await handle.datasync();
}

/** Owner first: a change of owner takes the set-user-id bits away. */
async function keepRights(handle: FileHandle, before: Stats): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== before.uid || now.gid !== before.gid) {
    await handle.chown(before.uid, before.gid).catch((error: unknown) => {
      // Somebody else's file that we may write becomes ours.
      if (systemCode(error) !== "EPERM") throw error;
    });
  }
  await handle.chmod(before.mode & 0o7777);
}

function mustWriteInPlace(error: unknown): boolean {
  return ["EACCES", "EPERM", "EBUSY", "EXDEV"].includes(systemCode(error) ?? "");
}

function absent(error: unknown): null {
  if (systemCode(error) === "ENOENT") return null;
  throw error;
}
