import { stat } from "node:fs/promises";

/** For `catch`: returns the value for a missing file, and throws any other error. */
export function unlessMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code !== "ENOENT") throw error;
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
