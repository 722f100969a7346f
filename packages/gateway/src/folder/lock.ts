import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { LandlineError } from "@landline/protocol";

/**
 * The lock of a data folder: one owner at a time, across processes and inside one process.
 *
 * It is an exclusive SQLite lock on an empty file, so the operating system takes it back when the
 * process ends, however it ends. Nobody waits for it: a second owner is refused at once. The file is
 * never written, so nothing in it can be damaged.
 */
export class FolderLock implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Null when somebody else holds it. */
  static take(path: string): FolderLock | null {
    makePrivateFile(path);
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 0 });
      // A rollback journal on the disk would be left behind by a process that is killed.
      database.exec("PRAGMA journal_mode = MEMORY");
      database.exec("BEGIN EXCLUSIVE");
      return new FolderLock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) return null;
      throw new LandlineError("folder-unusable", {
        message: `The lock ${path} can't be used: ${error instanceof Error ? error.message : "unknown error"}.`,
        help: `Move it away (mv '${path}' '${path}.old') and start again; it holds nothing.`,
        data: { path },
        cause: error,
      });
    }
  }

  /** Idempotent. */
  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/**
 * Made before SQLite opens it, because SQLite would make it readable for others. It is never opened
 * here when it exists: closing any handle of a file takes the process's own locks on it away.
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
