/** A name that is no valid UTF-8: several files may have it as a string, and none can be opened by it. */
export function isGarbled(path: string): boolean {
  return path.includes("\uFFFD");
}

/** Whether no program can list a folder, as opposed to a failure of this process alone. */
export function isClosed(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(String(code));
}
