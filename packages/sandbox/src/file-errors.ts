import { statSync } from "node:fs";
import { hasErrorCode } from "@landline/system/error-code";

/** The file does not exist, or a link is broken. After any other error, a confined program may still reach the file. */
export function isMissing(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP");
}

/** The process or the machine is out of resources. The error does not describe the file. */
export function isShortage(error: unknown): boolean {
  return hasErrorCode(error, "EMFILE", "ENFILE", "ENOMEM");
}

/** Most known places do not exist, and a promise for each would cost many times as much. False if unknown. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
