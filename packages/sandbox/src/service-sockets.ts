import { lstat, readFile, realpath } from "node:fs/promises";
import { isWithin } from "@landline/shell";

/** More have not been seen outside of `/run` and `/tmp`, which are empty inside. */
const socketsMax = 200;

/** A newer one may be gone before it is covered, and then nothing would start. */
const ageMsMin = 10_000;

/**
 * Sockets of programs outside of the sandbox, by their real paths: a read-only mount does not keep a program from
 * connecting to one. Not those in `projects`. Those of other network namespaces are not known, and neither are those bound by a relative name.
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

/** Null: it is gone or new, it is no socket, or this user may not look at it and could not connect to it. */
async function socketAt(name: string): Promise<string | null> {
  try {
    const path = await realpath(name);
    const file = await lstat(path);
    return file.isSocket() && Date.now() - file.ctimeMs > ageMsMin ? path : null;
  } catch {
    return null;
  }
}
