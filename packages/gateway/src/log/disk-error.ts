import { LandlineError } from "@landline/protocol";
import { diskErrorCode } from "../data-folder/disk-error-code.ts";

/** Converts a system error to a `LandlineError` that names the file and the system's error code. */
export function diskError(error: unknown, action: string, path: string): LandlineError {
  if (error instanceof LandlineError) return error;
  const system = (error as NodeJS.ErrnoException).code ?? "unknown error";
  return new LandlineError(diskErrorCode(error), {
    message: `Could not ${action} ${path} (${system}).`,
    data: { path, system },
    cause: error,
  });
}

/** The log had events and is empty now. It is not recreated, because somebody may have a backup. */
export function emptied(path: string): LandlineError {
  return new LandlineError("log-damaged", {
    message: `The log in ${path} is empty, but it had events before.`,
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
