import { dirname, isAbsolute, join, resolve } from "node:path";
import type { FileSnapshot } from "../paths/file-snapshot.ts";
import { isWithin } from "../paths/real-path.ts";
import { cachedFiles } from "../paths/cached-file.ts";
import { protectionOf } from "../protected-paths.ts";
import { parseGitConfig, type GitSetting } from "./config-file.ts";
import { parseGitIndex, type TrackedFiles } from "./index-file.ts";
import { findRepository, readSmallFile, repositoryAt, type Repository } from "./find-repository.ts";
import { meaningForReading, nameOf } from "./setting-risk.ts";

const submodulesMax = 100;
const submoduleDepthMax = 5;

const configs = cachedFiles(1_000_000, (data) => parseGitConfig(data.toString("utf8")));
const indexes = cachedFiles(64_000_000, (data) => parseGitIndex(data, 20));
const longIndexes = cachedFiles(64_000_000, (data) => parseGitIndex(data, 32));

/**
 * Why a read-only git command in this folder might run code from the repository or read files outside it: settings of
 * the repository and its submodules, hooks that reading commands run, and links. Null if there is no reason.
 */
export async function repositoryRisk(folder: string, disk: FileSnapshot): Promise<string | null> {
  const found = await findRepository(folder, disk);
  if (found === null) return null;
  return "doubt" in found ? found.doubt : riskOf(found, 0, disk);
}

/** The top of the repository that contains a folder; the folder itself if there is none. */
export async function repositoryTop(folder: string, disk: FileSnapshot): Promise<string> {
  const found = await findRepository(folder, disk);
  return found === null || "doubt" in found ? folder : found.top;
}

/** The tracked files of the repository that contains a folder; null if there is none or its index cannot be parsed. */
export async function trackedFiles(
  folder: string,
  disk: FileSnapshot,
): Promise<{ top: string; files: TrackedFiles | null } | null> {
  const found = await findRepository(folder, disk);
  if (found === null) return null;
  if ("doubt" in found) return { top: folder, files: null };
  return { top: found.top, files: await indexOf(found, await hasLongHashes(found, disk), disk) };
}

async function riskOf(
  repository: Repository,
  depth: number,
  disk: FileSnapshot,
): Promise<string | null> {
  const { top, gitFolder, common } = repository;
  const shared = await settingsIn(join(common, "config"), disk);
  if (typeof shared === "string") return shared;
  const own = await settingsIn(join(gitFolder, "config.worktree"), disk);
  if (typeof own === "string") return own;
  const settings = [...shared, ...own];
  return (
    (await settingsRisk(join(common, "config"), shared, top, disk)) ??
    (await settingsRisk(join(gitFolder, "config.worktree"), own, top, disk)) ??
    // Linked working trees ignore the shared `core.worktree`.
    (await linkRisk(repository, gitFolder === common ? settings : own, disk)) ??
    (await linkedFileRisk(repository, disk)) ??
    (await hookRisk(repository, settings, disk)) ??
    (await moduleRisk(join(common, "modules"), top, disk)) ??
    submoduleRisk(repository, settings, depth, disk)
  );
}

async function settingsIn(file: string, disk: FileSnapshot): Promise<GitSetting[] | string> {
  if (!(await disk.exists(file))) return [];
  return (await configs.read(file, disk)) ?? `the file ${file}, which cannot be read`;
}

async function settingsRisk(
  file: string,
  settings: readonly GitSetting[],
  top: string,
  disk: FileSnapshot,
): Promise<string | null> {
  for (const setting of settings) {
    const name = nameOf(setting);
    const isHarmless = checkedApart.has(name) || (await isHarmlessIn(setting, top, disk));
    if (!isHarmless) return `the setting ${name} in ${file}`;
  }
  return null;
}

/** See `linkRisk` and `hookRisk`. */
const checkedApart = new Set(["core.worktree", "core.hookspath"]);

async function isHarmlessIn(
  setting: GitSetting,
  top: string,
  disk: FileSnapshot,
): Promise<boolean> {
  const meaning = meaningForReading(setting);
  const path = setting.value ?? "";
  if (meaning !== "path") return meaning === "nothing";
  // `~` and `%(prefix)` are outside the project.
  if (isAbsolute(path) || /^[~%:]/.test(path)) return false;
  const real = await disk.realPath(join(top, path));
  // git prints lines that it cannot parse.
  return isWithin(top, real) && protectionOf(real)?.kind !== "credential";
}

/** Objects of another repository, or a working tree that is not the one of this repository. */
async function linkRisk(
  { top, gitFolder, common, isLinked }: Repository,
  settings: readonly GitSetting[],
  disk: FileSnapshot,
): Promise<string | null> {
  const shares = (await disk.realPath(common)) !== (await disk.realPath(gitFolder));
  if (shares && !(isLinked && (await isWorktreeOf(common, gitFolder, disk))))
    return `the parts of another repository (${common})`;
  const alternates = join(common, "objects/info/alternates");
  if (await disk.exists(alternates)) return `the objects of another repository (${alternates})`;
  const named = settings.findLast((setting) => nameOf(setting) === "core.worktree")?.value;
  const worktree = named ? await disk.realPath(resolve(gitFolder, named)) : null;
  if (worktree !== null && worktree !== top) return `the working tree ${worktree}`;
  if (!isLinked || worktree === top) return null;
  // The repository also names its linked working trees, and the settings name submodules.
  const back = (await readSmallFile(join(gitFolder, "gitdir"), disk)) ?? "";
  const isNamed = (await disk.realPath(resolve(gitFolder, back.trim()))) === join(top, ".git");
  return isNamed ? null : `${gitFolder}, which does not name ${top} as its working tree`;
}

/** Whether git stores the data of this linked working tree inside the repository. */
async function isWorktreeOf(
  common: string,
  gitFolder: string,
  disk: FileSnapshot,
): Promise<boolean> {
  const worktrees = await disk.realPath(join(common, "worktrees"));
  return worktrees === dirname(await disk.realPath(gitFolder));
}

const foldersWithFiles = ". info logs branches remotes objects objects/info objects/pack".split(
  " ",
);
const worktreesMax = 100;
const foldersOfWorktree = [".", "info", "rebase-merge", "rebase-apply", "sequencer"];

/** git prints lines of many of its own files. If one is a link, it shows a file from elsewhere, or a credential. */
async function linkedFileRisk(
  { top, gitFolder, common }: Repository,
  disk: FileSnapshot,
): Promise<string | null> {
  const worktrees = await disk.list(join(common, "worktrees"));
  if (worktrees === null || worktrees.length > worktreesMax)
    return "too many working trees to check";
  const folders = new Set([
    ...foldersWithFiles.map((name) => join(common, name)),
    ...["", ...worktrees.map(({ name }) => name)].map((name) => join(common, "worktrees", name)),
    ...foldersOfWorktree.map((name) => join(gitFolder, name)),
  ]);
  for (const folder of folders) {
    const entries = await disk.list(folder);
    if (entries === null) return `the folder ${folder}, which cannot be listed`;
    for (const { name } of entries.filter((entry) => entry.isSymbolicLink())) {
      const link = join(folder, name);
      const target = await disk.realPath(link);
      const isInside = [top, await disk.realPath(common)].some((place) => isWithin(place, target));
      if (!isInside || protectionOf(target)?.kind === "credential")
        return `the link ${link} to ${target}`;
    }
  }
  return null;
}

/** The only hook that reading commands run, because they may refresh the index. */
async function hookRisk(
  { top, common }: Repository,
  settings: readonly GitSetting[],
  disk: FileSnapshot,
): Promise<string | null> {
  const named = settings.findLast((setting) => nameOf(setting) === "core.hookspath")?.value;
  if (named && /^[~%:]/.test(named)) return `the hooks in ${named}`;
  const folder = named ? resolve(top, named) : join(common, "hooks");
  const hook = join(folder, "post-index-change");
  return (await disk.exists(hook)) ? `the hook ${hook}` : null;
}

/** Repositories of submodules without a working tree, which are read when two versions are compared. */
async function moduleRisk(folder: string, top: string, disk: FileSnapshot): Promise<string | null> {
  const found = await configsBelow(folder, 0, disk);
  if (found === null) return "too many submodules to check";
  for (const file of found) {
    const settings = await settingsIn(file, disk);
    const risk =
      typeof settings === "string" ? settings : await settingsRisk(file, settings, top, disk);
    if (risk !== null) return risk;
  }
  return null;
}

async function configsBelow(
  folder: string,
  depth: number,
  disk: FileSnapshot,
): Promise<string[] | null> {
  const entries = await disk.list(folder);
  if (entries === null) return null;
  // The name of a module can contain slashes, and a module can have submodules.
  const isRepository = entries.some(({ name }) => name === "HEAD");
  const found = isRepository ? ["config", "config.worktree"].map((name) => join(folder, name)) : [];
  for (const entry of entries) {
    if (!entry.isDirectory() || (isRepository && entry.name !== "modules")) continue;
    const inner = depth > 10 ? null : await configsBelow(join(folder, entry.name), depth + 1, disk);
    if (inner === null || found.length + inner.length > 2 * submodulesMax) return null;
    found.push(...inner);
  }
  return found;
}

/** git runs itself in each submodule to see whether it has changed. */
async function submoduleRisk(
  repository: Repository,
  settings: readonly GitSetting[],
  depth: number,
  disk: FileSnapshot,
): Promise<string | null> {
  const tracked = await indexOf(repository, isLong(settings), disk);
  if (tracked === null) return `the list of files in ${repository.gitFolder}, which cannot be read`;
  if (tracked.submodules.length > submodulesMax || depth > submoduleDepthMax)
    return "too many submodules to check";
  for (const path of tracked.submodules) {
    const found = await repositoryAt(join(repository.top, path), disk);
    const risk = found && ("doubt" in found ? found.doubt : await riskOf(found, depth + 1, disk));
    if (risk !== null) return risk;
  }
  return null;
}

async function indexOf(
  { gitFolder }: Repository,
  hasLong: boolean,
  disk: FileSnapshot,
): Promise<TrackedFiles | null> {
  const file = join(gitFolder, "index");
  if (!(await disk.exists(file))) return { credentials: [], submodules: [] };
  return (hasLong ? longIndexes : indexes).read(file, disk);
}

async function hasLongHashes({ common }: Repository, disk: FileSnapshot): Promise<boolean> {
  const settings = await settingsIn(join(common, "config"), disk);
  return typeof settings !== "string" && isLong(settings);
}

const isLong = (settings: readonly GitSetting[]): boolean =>
  settings.some((each) => nameOf(each) === "extensions.objectformat" && each.value === "sha256");
