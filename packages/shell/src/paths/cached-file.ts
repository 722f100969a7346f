import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import type { FileSnapshot } from "./file-snapshot.ts";

/** What a file held when it had this size and these times; null when it cannot be read, or is too large. */
export interface CachedFile<T> {
  read(path: string, disk: FileSnapshot): Promise<T | null>;
}

/** Clocks of file systems advance in steps: a file may change again without another time so soon after a change. */
const settledMs = 100;
/** Files that are remembered. */
const filesMax = 200;

/** Reads files and what they mean, and again only after they changed. Remembers at most twice `bytesMax` of them. */
export function cachedFiles<T>(
  bytesMax: number,
  parse: (data: Buffer) => T | null,
): CachedFile<T | null> {
  const known = new Map<string, { state: string; size: number; value: T | null }>();
  let bytes = 0;
  const forget = (path: string) => {
    bytes -= known.get(path)?.size ?? 0;
    known.delete(path);
  };
  return {
    async read(path, disk) {
      const facts = await disk.stat(path);
      if (!facts?.isFile() || facts.size > bytesMax) return null;
      const { ino, size, mtimeMs, ctimeMs } = facts;
      const state = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      const found = known.get(path);
      if (found?.state === state) return found.value;
      // Not blocking: it may be a pipe by now.
      const flag = constants.O_RDONLY | constants.O_NONBLOCK;
      const data = await readFile(path, { flag }).catch(() => null);
      const value = data && parse(data);
      forget(path);
      // A file that changes while it is read has another state than the one that was seen.
      if (data?.length !== size || Date.now() - ctimeMs < settledMs) return value;
      known.set(path, { state, size, value });
      bytes += size;
      for (const oldest of known.keys()) {
        if (known.size <= filesMax && bytes <= 2 * bytesMax) break;
        forget(oldest);
      }
      return value;
    },
  };
}
