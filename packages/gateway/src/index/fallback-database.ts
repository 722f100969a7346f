import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LandlineError } from "@landline/protocol";
import {
  openIndexDatabase,
  type IndexDatabase,
  type IndexDatabaseOptions,
} from "./index-database.ts";

export interface OpenedIndexDatabase extends Disposable {
  readonly indexDatabase: IndexDatabase;
  /** Why a temporary database is used for this run; null for the normal one. */
  readonly problem: LandlineError | null;
}

/**
 * Opens the database. On a full disk, where SQLite cannot even read it, creates a temporary one from the logs, in a
 * temporary folder or in memory, so that sessions can be found and deleted.
 */
export function openIndexDatabaseOrFallback(
  path: string,
  options: IndexDatabaseOptions,
): OpenedIndexDatabase {
  try {
    const indexDatabase = openIndexDatabase(path, options);
    return { indexDatabase, problem: null, [Symbol.dispose]: () => indexDatabase.close() };
  } catch (error) {
    if (!(error instanceof LandlineError) || !isFull(dirname(path))) throw error;
    return openSpare(options, error);
  }
}

/** The write-ahead log of SQLite and its index need some space at once. */
const leastBytes = 256 * 1_024;

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < leastBytes;
}

function openSpare(options: IndexDatabaseOptions, problem: LandlineError): OpenedIndexDatabase {
  for (const place of [tmpdir(), "/dev/shm"]) {
    let folder: string | null = null;
    try {
      folder = mkdtempSync(join(place, "landline-database-"));
      const spare = folder;
      const indexDatabase = openIndexDatabase(join(spare, "derived.sqlite"), options);
      const close = () => {
        indexDatabase.close();
        rmSync(spare, { recursive: true, force: true });
      };
      return { indexDatabase, problem, [Symbol.dispose]: close };
    } catch {
      // The temporary folder may be on the same full disk.
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    }
  }
  throw problem;
}
