import { statSync } from "node:fs";

/** There is no such file, or a link leads nowhere. After any other error a confined program may get at it. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error));
}

/** It says nothing about the file: this process or the machine has no room for more. */
export function isShortage(error: unknown): boolean {
  return ["EMFILE", "ENFILE", "ENOMEM"].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** Most known places do not exist, and a promise for each would cost many times as much. False where it is not known. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
