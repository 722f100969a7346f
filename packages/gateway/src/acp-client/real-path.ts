import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expandHome } from "@landline/system/expand-home";
import { hasErrorCode } from "@landline/system/error-code";
import type { PathFacts } from "./permissions/rule.ts";

/**
 * The real path of a path from an agent, for rules; paths.ts opens files. Null if it cannot be determined: then no rule may
 * allow the call.
 */
export async function pathFacts(path: string, cwd: string): Promise<PathFacts | null> {
  const named = writtenPath(path, cwd);
  if (named === null) return null;
  const real = await realOf(named);
  // After a link, `..` is ambiguous: agents differ in how they resolve it.
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) {
    const asWritten = isAbsolute(path) ? path : `${cwd}/${path}`;
    if ((await realOf(asWritten)) !== real) return null;
  }
  return real === null ? null : { named, real };
}

/**
 * The path as it is written, absolute; null when it is none. Agents write homes and URLs too, and what looks relative must
 * not be taken for a file of the project.
 */
export function writtenPath(path: string, cwd: string): string | null {
  if (path === "" || path.includes("\0")) return null;
  if (path.startsWith("~")) {
    const expanded = expandHome(path, homedir());
    return expanded === path ? null : resolve(expanded);
  }
  if (!/^[a-z][a-z0-9+.-]+:/i.test(path)) return resolve(cwd, path);
  try {
    return fileURLToPath(path);
  } catch {
    return null;
  }
}

/** With symlinks resolved. A missing path is resolved from its nearest existing folder. */
export async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = hasErrorCode(error, "ENOENT");
    // A dangling link: a write through it creates its target.
    if (!isMissing || (await exists(path)) || dirname(path) === path) return null;
    const folder = await realOf(dirname(path));
    return folder === null ? null : join(folder, basename(path));
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !hasErrorCode(error, "ENOENT"),
  );
}
