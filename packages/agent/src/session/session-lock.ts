import { FileLock, UnusableLock } from "@landline/system/file-lock";
import { StoreProblem } from "./store.ts";

/** The lock of a session. Throws StoreProblem `session-locked` when somebody else holds it. */
export async function takeSessionLock(path: string, sessionId: string): Promise<FileLock> {
  const lock = await FileLock.take(path).catch((error: unknown) => {
    if (!(error instanceof UnusableLock)) throw error;
    throw new StoreProblem(
      "broken",
      `The lock ${path} can't be used. It holds nothing: remove it, and try again.`,
      { cause: error },
    );
  });
  if (lock !== null) return lock;
  throw new StoreProblem(
    "session-locked",
    `Session ${sessionId} is in use, here or by another process. Close it there first, or fork it.`,
  );
}
