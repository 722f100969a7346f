import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StoreProblem } from "./store.ts";

/**
 * The lock of a session: one owner at a time, across processes and inside one process. It is an exclusive
 * SQLite lock on an empty file, so the operating system takes it back when the process ends, however it
 * ends. Nobody waits for it.
 */
export class SessionLock implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Throws StoreProblem `session-locked`. */
  static async take(path: string, sessionId: string): Promise<SessionLock> {
    const { DatabaseSync: Database } = await import("node:sqlite");
    makePrivateFile(path);
    let database: DatabaseSync | undefined;
    try {
      database = new Database(path, { timeout: 0 });
      // A journal on the disk would be left behind by a process that is killed.
      database.exec("PRAGMA journal_mode = MEMORY");
      database.exec("BEGIN EXCLUSIVE");
      return new SessionLock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) {
        throw new StoreProblem(
          "session-locked",
          `Session ${sessionId} is in use, here or by another process. Close it there first, or fork it.`,
          { cause: error },
        );
      }
      throw new StoreProblem(
        "broken",
        `The lock ${path} can't be used. It holds nothing: remove it, and try again.`,
        { cause: error },
      );
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

const busy = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === busy;
}
