import type { ConfinedCall } from "@landline/sandbox";
import type { Purpose } from "../paths.ts";

/** A file that an agent names. */
interface NamedFile {
  /** Its real path. */
  readonly path: string;
  /** As the agent wrote it. */
  readonly asked: string;
}

export type FileGuard = (use: Purpose, file: NamedFile) => Promise<boolean>;

/**
 * Whether a confined agent may not use a file without permission: its sandbox keeps it from the file, or the file has the
 * name of a credential or, to be written, of a protected place. The sandbox does not know files that are newer than it.
 * `permits`: of the sandbox of the running agent; null if none runs.
 */
export function fileGuard(permits: () => ConfinedCall["permits"] | null): FileGuard {
  return async (use, { path, asked }) => {
    if (permits()?.(use, path) !== true) return true;
    const { protectionReason } = await import("@landline/shell");
    return protectionReason([path, asked], use) !== null;
  };
}
