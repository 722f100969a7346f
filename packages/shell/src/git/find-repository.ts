import { dirname, join, resolve } from "node:path";
import type { FileSnapshot } from "../paths/file-snapshot.ts";
import { cachedFiles } from "../paths/cached-file.ts";

const smallFiles = cachedFiles(10_000, (data) => data.toString("utf8"));

/** A repository as git finds it. */
export interface Repository {
  /** The folder that holds `.git`: the top of the working tree. */
  readonly top: string;
  /** `.git`, or the folder that a file of this name points to. */
  readonly gitFolder: string;
  /** The folder that all working trees share. */
  readonly common: string;
  /** Whether `.git` is a file, as in linked working trees and submodules. */
  readonly isLinked: boolean;
}

/** Why it is not known which repository git would use. */
export interface Doubt {
  readonly doubt: string;
}

/** The repository that git finds in a folder or above it; null if there is none. */
export async function findRepository(
  folder: string,
  disk: FileSnapshot,
): Promise<Repository | Doubt | null> {
  for (let at = await disk.realPath(folder); ; at = dirname(at)) {
    const found = await repositoryAt(at, disk);
    if (found !== null || dirname(at) === at) return found;
  }
}

/** The repository in this folder. */
export async function repositoryAt(
  top: string,
  disk: FileSnapshot,
): Promise<Repository | Doubt | null> {
  const path = join(top, ".git");
  const facts = await disk.lstat(path);
  if (facts === null)
    return (await looksBare(top, disk)) ? { doubt: `the bare repository ${top}` } : null;
  if (facts.isSymbolicLink()) return { doubt: `the repository that the link ${path} leads to` };
  const isLinked = facts.isFile();
  const gitFolder = isLinked ? await linkedFolder(path, disk) : path;
  if (gitFolder === null) return { doubt: `${path}, which does not name a repository` };
  const common = await commonFolder(gitFolder, disk);
  // If `.git` is not a repository, git continues in the parent folder.
  if (!(await isComplete(gitFolder, common, disk)))
    return { doubt: `${path}, which is not a complete repository` };
  return { top, gitFolder, common, isLinked };
}

/** Also null for a pipe, which would block, and for a large file. */
export function readSmallFile(path: string, disk: FileSnapshot): Promise<string | null> {
  return smallFiles.read(path, disk);
}

async function linkedFolder(path: string, disk: FileSnapshot): Promise<string | null> {
  const text = (await readSmallFile(path, disk)) ?? "";
  const named = /^gitdir: ([^\n]+)\n*$/.exec(text)?.[1];
  return named === undefined ? null : resolve(dirname(path), named);
}

async function commonFolder(gitFolder: string, disk: FileSnapshot): Promise<string> {
  const named = await readSmallFile(join(gitFolder, "commondir"), disk);
  return named === null ? gitFolder : resolve(gitFolder, named.trim());
}

async function isComplete(gitFolder: string, common: string, disk: FileSnapshot): Promise<boolean> {
  const head = (await readSmallFile(join(gitFolder, "HEAD"), disk)) ?? "";
  if (!/^(?:ref: refs\/\S+|[\da-f]{40}|[\da-f]{64})\s*$/.test(head)) return false;
  const folders = await Promise.all(
    ["objects", "refs"].map((name) => disk.lstat(join(common, name))),
  );
  return folders.every((folder) => folder?.isDirectory() === true);
}

/** Whether git might treat a folder without `.git` as a repository. `commondir` replaces all other parts of one. */
async function looksBare(folder: string, disk: FileSnapshot): Promise<boolean> {
  if (!(await disk.exists(join(folder, "HEAD")))) return false;
  if (await disk.exists(join(folder, "commondir"))) return true;
  return (await disk.exists(join(folder, "objects"))) && (await disk.exists(join(folder, "refs")));
}
