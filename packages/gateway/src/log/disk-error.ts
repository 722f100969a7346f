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

export function damaged(path: string, what: string): LandlineError {
  return new LandlineError("log-damaged", {
    message: `${path}: ${what}. Nothing was changed.`,
    data: { path },
  });
}
