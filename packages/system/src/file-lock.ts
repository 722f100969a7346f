import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { hasErrorCode } from "./error-code.ts";

/**
 * One owner at a time, across processes and inside one process. Node has no flock, so this is an exclusive SQLite lock
 * on an empty file: the operating system releases it when the process ends for any reason. It never blocks, and never
 * writes to the file.
 */
export class FileLock implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Null if another owner holds it. Throws `UnusableLock` if the file is not a lock. */
  static async take(path: string): Promise<FileLock | null> {
    const { DatabaseSync: Database } = await import("node:sqlite");
    makePrivateFile(path);
    let database: DatabaseSync | undefined;
    try {
      database = new Database(path, { timeout: 0 });
      // A killed process would leave a rollback journal on the disk.
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

/** The file is damaged or not a lock. */
export class UnusableLock extends Error {
  override readonly name = "UnusableLock";
}

/**
 * Creates the file before SQLite, which would make it readable for others. Does not open an existing file, because
 * closing any descriptor of a file releases all POSIX locks of this process on it.
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}
