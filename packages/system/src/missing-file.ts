import { stat } from "node:fs/promises";

/** For `catch`: the value when there is no such file. Every other error is thrown. */
export function unlessMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code !== "ENOENT") throw error;
    return value;
  };
}

/** Whether the path, its links followed, leads to something that can be seen. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
