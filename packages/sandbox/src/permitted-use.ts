import { isWithin } from "@landline/shell";
import { emptied, fileMounts, type Layout } from "./bubblewrap.ts";

export type FileUse = "read" | "write";

/**
 * Returns a test whether a confined program can use a file. Paths are real paths. A path in a folder that is empty inside
 * cannot be used, although the program can write a file of that name there in `/tmp`.
 */
export function permittedUse(layout: Layout): (use: FileUse, path: string) => boolean {
  const { homes, hidden, unreadable } = layout;
  const mounts = fileMounts(layout).toReversed();
  const unseen = [...homes, ...hidden, ...emptied];
  return (use, path) => {
    // The longest mount point is first, and covers the others.
    const mount = mounts.find(({ at }) => isWithin(at, path));
    if (mount === undefined) return use === "read" && !unseen.some((one) => isWithin(one, path));
    if (mount.from === unreadable.file || mount.from === unreadable.folder) return false;
    return use === "read" || mount.option === "--bind";
  };
}
