import { LandlineError, type ErrorCode } from "@landline/protocol";

/** The handled primary result codes of SQLite. */
const codes: Readonly<Record<number, readonly [code: ErrorCode, because: string]>> = {
  3: ["folder-unusable", "is not accessible"],
  5: ["folder-locked", "is locked by another process"],
  6: ["folder-locked", "is locked by another process"],
  8: ["folder-unusable", "can't be written to"],
  10: ["disk-failed", "could not be read or written"],
  11: ["disk-failed", "is damaged"],
  13: ["disk-full", "can't grow: the disk is full, or databaseBytes is reached"],
  14: ["folder-unusable", "can't be opened"],
  26: ["disk-failed", "is damaged"],
};

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

const rebuildHelp =
  "Restart Landline: it moves the file aside and rebuilds it from the logs, which are intact.";

/** Converts an error of SQLite. It never affects the log. */
export function databaseError(error: unknown, path: string): LandlineError {
  if (error instanceof LandlineError) return error;
  const result = resultCode(error);
  const [code, because] = codes[result ?? -1] ?? [
    "internal-error",
    `failed (${error instanceof Error ? error.message : "unknown error"})`,
  ];
  return new LandlineError(code, {
    message: `The database ${path} ${because}. The logs are not affected.`,
    ...(isDamage(error) ? { help: rebuildHelp } : {}),
    data: { path },
    cause: error,
  });
}

/** Why one session is in no list and no search; `data.sessionId` names it. */
export function notIndexedError(sessionId: string, error: unknown): LandlineError {
  const { code, help, data } =
    error instanceof LandlineError ? error : new LandlineError("internal-error");
  const because = error instanceof Error ? error.message : "unknown error";
  return new LandlineError(code, {
    message: `Session ${sessionId} is missing from lists and search: ${because}`,
    help,
    data: { ...data, sessionId },
    cause: error,
  });
}

/** Whether the log could not be read because it was deleted. */
export function isDeleted(error: unknown): boolean {
  return error instanceof LandlineError && error.code === "session-not-found";
}

/** Whether the file itself is damaged, so that a new file solves the problem. */
export function isDamage(error: unknown): boolean {
  const result = resultCode(error);
  return result === CORRUPT || result === NOT_A_DATABASE || error instanceof SyntaxError;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
