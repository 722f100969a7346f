import { dirname, join, resolve, sep } from "node:path";
import type { SeenPath } from "../permission/bash-paths.ts";
import { realPath } from "../workspace/roots.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Folders that a line may be in, at most. Of more, it would have been asked about the first ones already. */
const foldersMax = 8;

/** What a line may write to and read from without it being a file. */
const devices = /^\/dev\/(?:null|zero|random|urandom|std(?:in|out|err)|tty|fd(?:\/|$))/;

/**
 * The folders outside of the session's that a line touches, links followed. A relative path is looked at from
 * every folder that the line may be in by then.
 */
export async function outsideFolders(
  paths: readonly SeenPath[],
  workdir: string,
  workspace: Workspace,
): Promise<string[]> {
  const folders = new Set<string>();
  const wanted = new Set([workdir]);
  const from = foldersOf(paths, workdir);
  for (const { path, isSure } of paths) {
    if (devices.test(path)) continue;
    for (const folder of from) {
      const absolute = resolve(folder, path);
      if (isSure || (await workspace.stat(absolute)) !== null) wanted.add(absolute);
    }
  }
  for (const path of wanted) {
    if (await workspace.contains(path)) continue;
    const real = await realPath(path);
    const isFolder = (await workspace.stat(path))?.type === "directory";
    folders.add(isFolder ? real : dirname(real));
  }
  return [...folders];
}

/** As rules name them. */
export function folderPattern(folder: string): string {
  return join(folder, "*").replaceAll(sep, "/");
}

function foldersOf(paths: readonly SeenPath[], workdir: string): Set<string> {
  const folders = new Set([workdir]);
  for (const { path, isEntered } of paths) {
    if (!isEntered) continue;
    for (const folder of Array.from(folders)) {
      if (folders.size < foldersMax) folders.add(resolve(folder, path));
    }
  }
  return folders;
}
