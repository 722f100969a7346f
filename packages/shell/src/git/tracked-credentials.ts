import { join, relative } from "node:path";
import type { Found } from "../paths/credentials-below.ts";
import { mayHoldSecret } from "../paths/credential-contents.ts";
import type { FileSnapshot } from "../paths/file-snapshot.ts";
import { globMatcher } from "../paths/glob.ts";
import { trackedFiles } from "./repository-risk.ts";

/**
 * A credential among the tracked files that match a path or pattern, or among all of them. Undefined outside
 * repositories, where git reads files as other programs do.
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
 * In git's patterns, `*` also matches slashes, and a folder matches everything below it. Ignores case, because an
 * option does.
 */
function covers(given: string, file: string): boolean {
  const [pattern, path] = [given.toLowerCase(), file.toLowerCase()];
  if (pattern === "" || path === pattern || path.startsWith(`${pattern}/`)) return true;
  // A backslash escapes the next character, and a set may match many characters.
  if (/[\\[]/.test(pattern)) return true;
  if (!/[*?]/.test(pattern)) return false;
  return globMatcher(pattern).test(path) || globMatcher(`${pattern}/*`).test(path);
}
