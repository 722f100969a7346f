import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unlessMissing } from "@landline/system/missing-file";
import { realPath } from "@landline/shell";
import { keepRights, renameOver } from "@landline/system/replace-file";
import { requireFile, systemCode, fileSystemProblem } from "./file-system-problem.ts";

/**
 * Replaces a file atomically: writes a temporary file and renames it. Keeps the mode and links. Writes in
 * place when no temporary file can be created beside a writable file (a mount point, a read-only folder).
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const target = await realPath(path);
    const before = await factsOf(target, path);
    await mkdir(dirname(target), { recursive: true });
    if (before !== null) await access(target, constants.W_OK);
    try {
      const draft = join(dirname(target), `.landline-${randomUUID()}`);
      await renameOver({ draft, target }, before === null ? 0o666 : 0o600, async (handle) => {
        await handle.writeFile(bytes);
        if (before !== null) await keepRights(handle, before);
      });
    } catch (error) {
      if (before === null || !mustWriteInPlace(error)) throw error;
      await writeFile(target, bytes);
    }
  } catch (error) {
    throw fileSystemProblem(error, path);
  }
}

async function factsOf(target: string, path: string): Promise<Stats | null> {
  const facts = await stat(target).catch(unlessMissing(null));
  if (facts !== null) requireFile(facts, path);
  return facts;
}

function mustWriteInPlace(error: unknown): boolean {
  return ["EACCES", "EPERM", "EBUSY", "EXDEV"].includes(systemCode(error) ?? "");
}
