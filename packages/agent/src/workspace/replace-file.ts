import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, lstat, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { unlessMissing } from "@landline/system/missing-file";
import { keepRights, renameOver } from "@landline/system/replace-file";
import { requireFile, systemCode } from "./file-system-problem.ts";
import { inLocatedFolder, type Located, pathChanged } from "./located-path.ts";

/**
 * Replaces a file atomically: writes a temporary file and renames it. Keeps the mode and links. Writes in
 * place when no temporary file can be created beside a writable file (a mount point, a read-only folder).
 */
export function replaceFile(file: Located, bytes: Uint8Array): Promise<void> {
  const folder = { path: file.path, real: dirname(file.real) };
  return inLocatedFolder(folder, { make: true }, async (at) => {
    const target = await at(basename(file.real));
    const before = await factsOf(target, file.path);
    if (before !== null) await access(target, constants.W_OK);
    try {
      const draft = await at(`.landline-${randomUUID()}`);
      await renameOver({ draft, target }, before === null ? 0o666 : 0o600, async (handle) => {
        await handle.writeFile(bytes);
        if (before !== null) await keepRights(handle, before);
      });
    } catch (error) {
      if (before === null || !mustWriteInPlace(error)) throw error;
      await writeInPlace(target, bytes);
    }
  });
}

async function factsOf(target: string, path: string): Promise<Stats | null> {
  const facts = await lstat(target).catch(unlessMissing(null));
  if (facts?.isSymbolicLink() === true) throw pathChanged(path);
  if (facts !== null) requireFile(facts, path);
  return facts;
}

async function writeInPlace(target: string, bytes: Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  await using handle = await open(target, flags);
  await handle.truncate();
  await handle.writeFile(bytes);
}

function mustWriteInPlace(error: unknown): boolean {
  return ["EACCES", "EPERM", "EBUSY", "EXDEV"].includes(systemCode(error) ?? "");
}
