import { FileLock, UnusableLock } from "@landline/system/file-lock";
import { StoreProblem } from "./store.ts";

/** Throws StoreProblem `session-locked` when another owner holds the lock. */
export async function takeSessionLock(path: string, sessionId: string): Promise<FileLock> {
  const lock = await FileLock.take(path).catch((error: unknown) => {
    if (!(error instanceof UnusableLock)) throw error;
    throw new StoreProblem(
      "broken",
      `The lock ${path} can't be used. Nobody holds it: delete the file and try again.`,
      { cause: error },
    );
  });
  if (lock !== null) return lock;
  throw new StoreProblem(
    "session-locked",
    `Session ${sessionId} is in use, here or by another process. Close it there first, or fork it.`,
  );
}
