/** Whether a system call failed with one of these codes, such as `ENOENT`. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && codes.includes(code);
}

/**
 * Whether a write failed for lack of space: on the disk, in the user's quota, or under the file size limit of the
 * process (`ulimit -f`). A read-only file system is not full: deleting files does not help there.
 */
export function isDiskFull(error: unknown): boolean {
  return hasErrorCode(error, "ENOSPC", "EDQUOT", "EFBIG");
}
