import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/**
 * One owner at a time, across processes and inside one process. Node has no flock, so this is an exclusive SQLite lock on
 * an empty file: the operating system releases it when the process ends, however it ends. Nobody waits for it, and the
 * file is never written, so nothing in it can be damaged.
 */
export class FileLock implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Null when somebody else holds it. Throws `UnusableLock` when the file is something else. */
  static async take(path: string): Promise<FileLock | null> {
    const { DatabaseSync: Database } = await import("node:sqlite");
    makePrivateFile(path);
    let database: DatabaseSync | undefined;
    try {
      database = new Database(path, { timeout: 0 });
      // A rollback journal on the disk would be left behind by a process that is killed.
      database.exec("PRAGMA journal_mode = MEMORY");
      database.exec("BEGIN EXCLUSIVE");
      return new FileLock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) return null;
      throw new UnusableLock((error as Error).message, { cause: error });
    }
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** The file is damaged, or no lock at all. */
export class UnusableLock extends Error {
  override readonly name = "UnusableLock";
}

/**
 * Made before SQLite opens it, because SQLite would make it readable for others. An existing file is not opened here:
 * closing any descriptor of a file releases all POSIX locks of this process on it.
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}
