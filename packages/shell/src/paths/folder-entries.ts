import { hasErrorCode } from "@landline/system/error-code";

/** Whether a name is not valid UTF-8. Several files may have the same string, and none can be opened by it. */
export function isInvalidUtf8(path: string): boolean {
  return path.includes("\uFFFD");
}

/** Whether no program can list the folder, as opposed to a failure in this process only. */
export function isUnlistable(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP");
}
