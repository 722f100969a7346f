import { LandlineError, type ErrorCode } from "@landline/protocol";

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EFBIG: "disk-full",
  EROFS: "folder-unusable",
  EACCES: "folder-unusable",
  EPERM: "folder-unusable",
};

/** What the system said, as one of our errors: which file, and what the system called it. */
export function diskError(error: unknown, action: string, path: string): LandlineError {
  if (error instanceof LandlineError) return error;
  const system = (error as NodeJS.ErrnoException).code ?? "unknown error";
  return new LandlineError(codes[system] ?? "disk-failed", {
    message: `Could not ${action} ${path} (${system}).`,
    data: { path, system },
    cause: error,
  });
}

/** There were events, and there are none. Nothing is made of it: somebody may have a copy. */
export function emptied(path: string): LandlineError {
  return new LandlineError("log-damaged", {
    message: `The log in ${path} is empty, and it had events before.`,
    help: "Restore its files from a backup and start Landline again, or delete the session.",
    data: { path },
  });
}

export function damaged(path: string, what: string): LandlineError {
  return new LandlineError("log-damaged", {
    message: `${path}: ${what}. Nothing was changed.`,
    data: { path },
  });
}
