import { stat } from "node:fs/promises";
import { hasErrorCode } from "./error-code.ts";

/** For `catch`: returns the value for a missing file, and throws any other error, as `explain` describes it. */
export function unlessMissing<Value>(
  value: Value,
  explain: (error: NodeJS.ErrnoException) => Error = (error) => error,
): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (!hasErrorCode(error, "ENOENT")) throw explain(error);
    return value;
  };
}

/** Whether the path, with links followed, exists and is accessible. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
