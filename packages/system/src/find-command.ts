import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SearchPlaces {
  /** The folders in PATH. */
  readonly path: readonly string[];
  /** Folders of version managers and installers that are not in PATH. */
  readonly beyond: readonly string[];
}

export interface FoundCommand {
  readonly path: string;
  /** False if its folder is not in PATH, so that a shell would not find it. */
  readonly onPath: boolean;
}

/** `*` matches one name; the newest version comes first. */
const beyondPath = [
  "~/.local/bin",
  "~/bin",
  "~/.npm-global/bin",
  "~/.npm-packages/bin",
  "~/.nvm/versions/node/*/bin",
  "~/.local/share/fnm/node-versions/*/installation/bin",
  "~/.fnm/node-versions/*/installation/bin",
  "~/.volta/bin",
  "~/.asdf/shims",
  "~/.local/share/mise/shims",
  "~/.nodenv/shims",
  "~/n/bin",
  "~/.local/share/pnpm",
  "~/Library/pnpm",
  "~/.yarn/bin",
  "~/.bun/bin",
  "~/.deno/bin",
  "~/.cargo/bin",
  "~/.opencode/bin",
  "/opt/homebrew/bin",
  "/usr/local/bin",
];

/** The trusted folders in which agents are searched. */
export function searchPlaces(
  environment: Environment,
  roots: readonly string[] = [],
): SearchPlaces {
  const path = trustedFolders(pathFolders(environment), roots);
  const home = environment["HOME"] ?? "";
  const beyond = beyondPath
    .filter((pattern) => home !== "" || !pattern.startsWith("~"))
    .flatMap((pattern) => foldersOf(pattern.replace(/^~/, () => home)))
    .filter((folder) => !path.includes(folder));
  return { path, beyond: trustedFolders(beyond, roots) };
}

/**
 * Filters the folders from which Landline itself runs programs unconfined. A confined program can write to the folders
 * of its session (`roots`), to the project in which Landline was started, and to npm packages. In a session in the home
 * folder, folders in PATH are read-only instead, because all tools of a user may be there.
 */
function trustedFolders(folders: readonly string[], roots: readonly string[]): string[] {
  const home = realOf(homedir());
  const changed = [...new Set([process.cwd(), ...roots].flatMap((root) => [root, realOf(root)]))];
  const closed = changed.filter((root) => !isInside(root, home));
  const isChanged = (path: string) => closed.some((root) => isInside(root, path));
  return folders.filter(
    (folder) => !isInNodeModules(folder) && !isChanged(folder) && !isChanged(realOf(folder)),
  );
}

/** For `node_modules/.bin`, which npm adds to PATH. */
export function isInNodeModules(folder: string): boolean {
  return folder.split(sep).includes("node_modules");
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * PATH with the folders last that a project can write to: relative ones, and those of npm packages. Their programs are
 * found, but do not replace `git` or `node`: a script that runs outside a sandbox finds its interpreter in PATH.
 */
export function projectFoldersLast(path: string): string {
  const { last = [], first = [] } = Object.groupBy(path.split(delimiter), (folder) =>
    !isAbsolute(folder) || isInNodeModules(folder) ? "last" : "first",
  );
  return [...first, ...last].join(delimiter);
}

/** Without relative entries, which depend on the current folder. */
export function pathFolders(environment: Environment): string[] {
  return [...new Set((environment["PATH"] ?? "").split(delimiter))].filter(isAbsolute);
}

/** The PATH for programs that Landline itself runs for a session with these folders. */
export function trustedPath(environment: Environment, roots: readonly string[]): string {
  return trustedFolders(pathFolders(environment), roots).join(delimiter);
}

/** The path of a program in `trustedPath`; null if there is none. */
export function findOnPath(
  name: string,
  environment: Environment,
  roots: readonly string[],
): string | null {
  const path = trustedFolders(pathFolders(environment), roots);
  return findCommand(name, { path, beyond: [] })?.path ?? null;
}

/** Null if it is not found. A command with a slash is not searched in folders. */
export function findCommand(command: string, places: SearchPlaces): FoundCommand | null {
  if (command.includes("/")) {
    return isAbsolute(command) && isProgram(command) ? { path: command, onPath: true } : null;
  }
  const names = process.platform === "win32" ? [`${command}.exe`, command] : [command];
  const at = (folders: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
  const onPath = at(places.path);
  if (onPath !== undefined) return { path: onPath, onPath: true };
  const beyond = at(places.beyond);
  return beyond === undefined ? null : { path: beyond, onPath: false };
}

/**
 * A PATH that includes the folder of the program, because version managers install the interpreter of scripts there.
 */
export function pathWith(
  found: FoundCommand,
  environment: Environment,
): Readonly<Record<string, string>> {
  if (found.onPath) return {};
  const folder = dirname(found.path);
  const rest = environment["PATH"];
  return { PATH: rest === undefined ? folder : `${folder}${delimiter}${rest}` };
}

function foldersOf(pattern: string): string[] {
  const [before, after] = pattern.split("*");
  if (before === undefined || after === undefined) return [pattern];
  try {
    const names = readdirSync(before).toSorted((a, b) =>
      b.localeCompare(a, "en", { numeric: true }),
    );
    return names.map((name) => `${before}${name}${after}`);
  } catch {
    return [];
  }
}

/** Whether the path is an executable file. `access` is not enough: folders pass X_OK too. */
export function isProgram(path: string): boolean {
  try {
    // Most candidates do not exist, and exceptions are slow.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
