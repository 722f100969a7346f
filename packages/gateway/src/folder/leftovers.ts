import { readdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * What write-file-atomic left of this file when it was killed: beside it, under its name and a number.
 * Removing them while somebody replaces the file would make that fail.
 */
export async function leftoversOf(path: string): Promise<string[]> {
  const folder = dirname(path);
  const beginning = `${basename(path)}.`;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.startsWith(beginning))
    .filter(({ name }) => /^\d+$/.test(name.slice(beginning.length)))
    .map(({ name }) => join(folder, name));
}

/** What can't be removed is in nobody's way, and is tried again at the next start. */
export async function removeLeftovers(path: string): Promise<void> {
  for (const leftover of await leftoversOf(path)) await unlink(leftover).catch(() => undefined);
}
