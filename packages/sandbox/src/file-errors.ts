import { statSync } from "node:fs";
import { hasErrorCode } from "@landline/system/error-code";

/** There is no such file, or a link leads nowhere. After any other error a confined program may get at it. */
export function isMissing(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP");
}

/** It says nothing about the file: this process or the machine has no room for more. */
export function isShortage(error: unknown): boolean {
  return hasErrorCode(error, "EMFILE", "ENFILE", "ENOMEM");
}

/** Most known places do not exist, and a promise for each would cost many times as much. False where it is not known. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
