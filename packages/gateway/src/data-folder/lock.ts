import { LandlineError } from "@landline/protocol";
import { FileLock, UnusableLock } from "@landline/system/file-lock";

/** The lock of a data folder, or of a file in it. Null when somebody else holds it. */
export async function takeLock(path: string): Promise<FileLock | null> {
  try {
    return await FileLock.take(path);
  } catch (error) {
    if (!(error instanceof UnusableLock)) throw error;
    throw new LandlineError("folder-unusable", {
      message: `The lock ${path} can't be used: ${error.message}.`,
      help: `Move it away (mv '${path}' '${path}.old') and start again; it holds nothing.`,
      data: { path },
      cause: error,
    });
  }
}
