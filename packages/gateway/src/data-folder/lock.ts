import { LandlineError } from "@landline/protocol";
import { FileLock, UnusableLock } from "@landline/system/file-lock";

/** Locks a data folder or a file in it. Returns null if another process holds the lock. */
export async function takeLock(path: string): Promise<FileLock | null> {
  try {
    return await FileLock.take(path);
  } catch (error) {
    if (!(error instanceof UnusableLock)) throw error;
    throw new LandlineError("folder-unusable", {
      message: `The lock ${path} can't be used: ${error.message}.`,
      help: `Move it away (mv '${path}' '${path}.old') and start again; it contains no data.`,
      data: { path },
      cause: error,
    });
  }
}
