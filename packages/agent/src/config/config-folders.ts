import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expandHome } from "@landline/system/expand-home";
import { xdgFolder } from "@landline/system/home-folders";
import { exists } from "@landline/system/missing-file";
import { isWithin } from "@landline/shell";

export interface LocationOptions {
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Where configuration files are searched. */
export interface ConfigLocations {
  cwd: string;
  home: string;
  /** The repository root, or `cwd` outside a repository. */
  root: string;
  /** From `root` down to `cwd`. */
  folders: string[];
  /** `$XDG_CONFIG_HOME/landline`, the user's own configuration. */
  landline: string;
  /** `$XDG_CONFIG_HOME/opencode`, used when Landline's has no files. */
  opencode: string;
}

export async function findConfigLocations(options: LocationOptions): Promise<ConfigLocations> {
  const cwd = resolve(options.cwd);
  const base = xdgFolder(options.environment, "XDG_CONFIG_HOME", options.home);
  const root = await findRoot(cwd);
  return {
    cwd,
    home: options.home,
    root,
    folders: foldersBetween(root, cwd),
    landline: join(base, "landline"),
    opencode: join(base, "opencode"),
  };
}

/** `.git` is a folder, or a file in worktrees and submodules. */
async function findRoot(cwd: string): Promise<string> {
  for (const folder of ancestors(cwd)) {
    if (await exists(join(folder, ".git"))) return folder;
  }
  return cwd;
}

/** The folder itself first, then its parents. */
export function ancestors(folder: string): string[] {
  const found = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) found.push(dirname(at));
  return found;
}

/** From `top` down to `bottom`, both included; `bottom` alone when it is not below. */
export function foldersBetween(top: string, bottom: string): string[] {
  if (!isWithin(top, bottom)) return [bottom];
  const folders = ancestors(bottom);
  return folders.slice(0, folders.indexOf(top) + 1).toReversed();
}

/** The path with links followed; null when it is not in the folder or does not exist. */
export async function realPathInside(folder: string, path: string): Promise<string | null> {
  try {
    const [realFolder, real] = await Promise.all([realpath(folder), realpath(path)]);
    return isWithin(realFolder, real) ? real : null;
  } catch {
    return null;
  }
}

/** Replaces `~` and `$HOME`. */
export function expandPattern(path: string, home: string): string {
  const expanded = expandHome(path.replace(/^\$HOME(?=\/|$)/, "~"), home);
  return expanded === path ? path : join(expanded);
}
