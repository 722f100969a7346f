import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import type { FileSnapshot } from "./file-snapshot.ts";

/** The parsed content of a file with this size and these times; null if it cannot be read or is too large. */
export interface CachedFile<T> {
  read(path: string, disk: FileSnapshot): Promise<T | null>;
}

/** File systems have coarse clocks: a file that has just changed may change again without a new time. */
const settledMs = 100;
/** The number of cached files. */
const filesMax = 200;

/** Reads and parses files, and again only after they changed. Caches at most twice `bytesMax`. */
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
      // Non-blocking, because it may be a pipe by now.
      const flag = constants.O_RDONLY | constants.O_NONBLOCK;
      const data = await readFile(path, { flag }).catch(() => null);
      const value = data && parse(data);
      forget(path);
      // Not cached if the file changed while it was read.
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
