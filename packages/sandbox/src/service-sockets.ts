import { lstat, readFile, realpath } from "node:fs/promises";
import { isWithin } from "@landline/shell";

/** More have not been observed outside `/run` and `/tmp`, which are empty inside. */
const socketsMax = 200;

/** A newer socket may disappear before it is covered, and then the sandbox would not start. */
const ageMsMin = 10_000;

/**
 * The real paths of sockets of programs outside the sandbox, except those in `projects`: a read-only mount does not
 * prevent a program from connecting. Sockets of other network namespaces and sockets bound to a relative path are
 * unknown.
 */
export async function serviceSockets(
  isSeen: (path: string) => boolean,
  projects: readonly string[],
): Promise<string[]> {
  const table = await readFile("/proc/net/unix", "utf8").catch(() => "");
  const names = table.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.+)$/.exec(line)?.[1] ?? []);
  const found = await Promise.all([...new Set(names)].map(socketAt));
  const isOwn = (path: string) => projects.some((folder) => isWithin(folder, path));
  const seen = found.filter((path) => path !== null && isSeen(path) && !isOwn(path)) as string[];
  return [...new Set(seen)].slice(0, socketsMax);
}

/**
 * Null: it no longer exists, is new, is not a socket, or is not accessible to this user, who could not connect to it.
 */
async function socketAt(name: string): Promise<string | null> {
  try {
    const path = await realpath(name);
    const file = await lstat(path);
    return file.isSocket() && Date.now() - file.ctimeMs > ageMsMin ? path : null;
  } catch {
    return null;
  }
}
