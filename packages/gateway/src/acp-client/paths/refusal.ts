import { isDiskFull } from "@landline/system/error-code";
import { LandlineError, type ErrorCode } from "@landline/protocol";

/**
 * Why a path is refused, as a message for the agent. Messages contain no path, so that an agent does not learn what it may
 * not see.
 */
const refusals = {
  missing: ["file-not-found", "There is no such file."],
  outside: ["permission-denied", "The path is outside the session's folders."],
  "dead-link": ["permission-denied", "The path contains a broken symbolic link."],
  loop: ["permission-denied", "The path contains a loop of symbolic links."],
  folder: ["permission-denied", "The path is a folder, not a file."],
  "not-a-folder": ["permission-denied", "The path is not a folder."],
  special: ["permission-denied", "The path is a device, a pipe or a socket, not a file."],
  system: ["permission-denied", "The system denied access."],
  "read-only": ["permission-denied", "The file or its file system is read-only."],
  guarded: [
    "permission-denied",
    "The sandbox of this agent guards the file: it may hold credentials, or other programs execute it. Request permission for a tool call that names it.",
  ],
  "too-long": ["invalid-params", "The path is too long."],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

export function refusal(why: keyof typeof refusals, cause?: unknown): LandlineError {
  const [code, message] = refusals[why];
  return new LandlineError(code, { message, ...(cause === undefined ? {} : { cause }) });
}

const bySystemCode: Readonly<Record<string, keyof typeof refusals>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  ELOOP: "loop",
  EACCES: "system",
  EPERM: "system",
  EROFS: "read-only",
  EISDIR: "folder",
  ENXIO: "special",
  ENODEV: "special",
  ENAMETOOLONG: "too-long",
};

/** Adds the path that the agent named to an error about a missing file. It learns nothing new from it. */
export async function namingMissingFile<Result>(
  path: string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof LandlineError) || error.code !== "file-not-found") throw error;
    const { code, message, data } = error;
    const named = path.slice(0, namedCharacters);
    throw new LandlineError(code, { message, data: { ...data, path: named }, cause: error });
  }
}

/** The longest path of most systems. */
const namedCharacters = 4_096;

/** An error of the system as a LandlineError. */
export function systemRefusal(error: unknown): LandlineError {
  if (error instanceof LandlineError) return error;
  const system = (error as NodeJS.ErrnoException).code ?? "unknown error";
  const why = bySystemCode[system];
  if (why !== undefined) return refusal(why, error);
  const code = isDiskFull(error) ? "disk-full" : "disk-failed";
  return new LandlineError(code, { data: { system }, cause: error });
}
