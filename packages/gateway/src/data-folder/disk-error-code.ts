import type { ErrorCode } from "@landline/protocol";
import { hasErrorCode, isDiskFull } from "@landline/system/error-code";

/** The code for a failed read or write in the data folder. */
export function diskErrorCode(error: unknown): ErrorCode {
  if (isDiskFull(error)) return "disk-full";
  return hasErrorCode(error, "EROFS", "EACCES", "EPERM") ? "folder-unusable" : "disk-failed";
}
