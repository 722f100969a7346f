import { join, relative } from "node:path";
import type { Found } from "../paths/credentials-below.ts";
import { mayHoldSecret } from "../paths/credential-contents.ts";
import type { FileSnapshot } from "../paths/file-snapshot.ts";
import { globMatcher } from "../paths/glob.ts";
import { trackedFiles } from "./repository-risk.ts";

/**
 * A credential among the tracked files that a path of git's (which may be a pattern) stands for, or among all of them.
 * Undefined outside of repositories, where git reads files as other programs do.
 */
export async function trackedCredential(
  path: string,
  extent: "below" | "all",
  disk: FileSnapshot,
): Promise<Found | undefined> {
  const fixed = path.replace(/\/[^/]*[*?[\\].*$/su, "") || "/";
  const tracked = await trackedFiles(fixed, disk);
  if (tracked === null) return undefined;
  if (tracked.files === null) return { kind: "too-many" };
  const { credentials } = tracked.files;
  const pattern = relative(tracked.top, path);
  for (const one of credentials) {
    const isMeant = extent === "all" || covers(pattern, one);
    if (isMeant && (await mayHoldSecret(join(tracked.top, one), disk)))
      return { kind: "credential", path: one };
  }
  return null;
}

/**
 * In git's patterns `*` matches slashes too, and a pattern for a folder stands for everything below it. An option makes
 * case not count.
 */
function covers(given: string, file: string): boolean {
  const [pattern, path] = [given.toLowerCase(), file.toLowerCase()];
  if (pattern === "" || path === pattern || path.startsWith(`${pattern}/`)) return true;
  // A backslash makes the next character mean itself, and a set of characters may be one of many.
  if (/[\\[]/.test(pattern)) return true;
  if (!/[*?]/.test(pattern)) return false;
  return globMatcher(pattern).test(path) || globMatcher(`${pattern}/*`).test(path);
}
