import type { Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SearchScope } from "../line-facts.ts";
import { trackedCredential } from "../git/tracked-credentials.ts";
import { credentialsIn } from "../protected-paths.ts";
import { mayHoldSecret } from "./credential-contents.ts";
import type { FileSnapshot } from "./file-snapshot.ts";
import { isInvalidUtf8 } from "./folder-entries.ts";
import { certainGlobMatcher, globMatcher } from "./glob.ts";
import { ignoreFiles, IgnoreRules, rulesAbove } from "./ignore-files.ts";
import { isWithin } from "./real-path.ts";

export type Found =
  | { readonly kind: "credential" | "link-out"; readonly path: string }
  /** There are too many files to check, or some that cannot be checked. */
  | { readonly kind: "too-many" }
  | null;

const tooMany = { kind: "too-many" } as const;

/** How many files and folders are checked. The content of a larger tree is unknown. */
const entriesMax = 10_000;
const foldersAtOnce = 16;

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** The first thing that a search below a folder would read and that needs permission. */
export async function credentialsBelow(
  folder: string,
  scope: SearchScope,
  roots: readonly string[],
  disk: FileSnapshot,
): Promise<Found> {
  if (scope.namesOnly && !scope.links) return null;
  if (isInvalidUtf8(folder)) return tooMany;
  const tracked = scope.tracked && (await trackedCredential(folder, scope.tracked, disk));
  if (tracked !== undefined) return tracked;
  const seesAll = scope.hidden && scope.ignored;
  const pending: Folder[] = [
    { path: folder, rules: seesAll ? new IgnoreRules(false) : await rulesAbove(folder, disk) },
  ];
  const isSearched = searchedNames(folder, scope);
  const visited = new Set<string>();
  let looked = 0;
  while (pending.length > 0) {
    // Links may form cycles, or lead to a folder under other ignore rules.
    const next = pending.splice(-foldersAtOnce).filter((at) => !visited.has(keyOf(at)));
    for (const at of next) visited.add(keyOf(at));
    const lists = await Promise.all(next.map(({ path }) => disk.list(path)));
    for (const [index, at] of next.entries()) {
      await disk.pause();
      const entries = lists[index] ?? null;
      looked += entries?.length ?? 0;
      if (entries === null || looked > entriesMax) return tooMany;
      const rules = seesAll ? at.rules : await rulesIn(at, folder, entries, disk);
      const found = await look({ path: at.path, rules }, entries, scope, {
        isSearched,
        roots,
        disk,
      });
      if ("kind" in found) return found;
      pending.push(...found.folders);
    }
  }
  return null;
}

const keyOf = ({ path, rules }: Folder): string => `${path}\n${rules.key}`;

interface Look {
  readonly isSearched: ReturnType<typeof searchedNames>;
  readonly roots: readonly string[];
  readonly disk: FileSnapshot;
}

/** The first entry of a folder that needs permission, or the folders to visit. */
async function look(
  { path: folder, rules }: Folder,
  entries: readonly Dirent[],
  scope: SearchScope,
  { isSearched, roots, disk }: Look,
): Promise<NonNullable<Found> | { readonly folders: readonly Folder[] }> {
  const isCredential = credentialsIn(folder);
  const folders: Folder[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isInvalidUtf8(entry.name) && (entry.isDirectory() || isFollowed(entry, scope)))
      return tooMany;
    const target = entry.isSymbolicLink()
      ? await targetOf(path, scope, disk)
      : { real: path, entry };
    if (target === null) continue;
    const isFolder = target.entry.isDirectory();
    const isLink = target.real !== path;
    if (!isSearched(path, { isFolder, isLink }, rules)) continue;
    if (isLink && isInvalidUtf8(target.real)) return tooMany;
    if (isLink && !roots.some((root) => isWithin(root, target.real)))
      return { kind: "link-out", path };
    if (isFolder) folders.push({ path: target.real, rules });
    else if (scope.namesOnly) continue;
    else if (isCredential(entry.name) || (isLink && isCredentialPath(target.real))) {
      if (await mayHoldSecret(path, disk)) return { kind: "credential", path };
    }
  }
  return { folders };
}

const isFollowed = (entry: Dirent, { links }: SearchScope): boolean =>
  links && entry.isSymbolicLink();

async function rulesIn(
  { path, rules }: Folder,
  top: string,
  entries: readonly { readonly name: string }[],
  disk: FileSnapshot,
): Promise<IgnoreRules> {
  const names = new Set(entries.map(({ name }) => name));
  const isNested = path !== top && names.has(".git");
  const base = isNested ? await rules.inNestedRepository.withExclude(path, disk) : rules;
  return ignoreFiles.some((name) => names.has(name)) ? base.with(path, disk) : base;
}

/** The target of a link; null if it is not followed. */
async function targetOf(path: string, { links }: SearchScope, disk: FileSnapshot) {
  const entry = links ? await disk.stat(path) : null;
  return entry && { real: await disk.realPath(path), entry };
}

function isCredentialPath(path: string): boolean {
  return credentialsIn(dirname(path))(basename(path));
}

interface Kind {
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

/** Whether a search reads an entry, and whether it enters it. */
function searchedNames(top: string, scope: SearchScope) {
  const { includes, includesWin = false, hidden, ignored } = scope;
  const wanted = includes.map(globMatcher);
  const isWanted = (name: string) => wanted.some((glob) => glob.test(name));
  const isExcludedFile = excluded([...scope.excludes, ...(scope.excludedFiles ?? [])]);
  const folders = [...scope.excludes, ...(scope.excludedFolders ?? [])];
  const isExcludedFolder = excluded(folders.filter((glob) => !glob.startsWith("./")));
  const paths = new Set(
    folders.filter((glob) => glob.startsWith("./")).map((glob) => join(top, glob)),
  );
  return (path: string, { isFolder, isLink }: Kind, rules: IgnoreRules): boolean => {
    const name = basename(path);
    if (isFolder ? isExcludedFolder(name) || paths.has(path) : isExcludedFile(name)) return false;
    const isNamed = (includesWin && isWanted(name)) || rules.keeps(path, isFolder);
    if (!hidden && name.startsWith(".") && !isNamed) return false;
    // A line for a folder does not match links.
    if (isFolder) return ignored || isLink || isNamed || !rules.leavesOut(path);
    return wanted.length === 0 || isWanted(name);
  };
}

/** Only names that every program would exclude. */
function excluded(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.map(certainGlobMatcher);
  return (name) => matchers.some((glob) => glob.test(name));
}
