import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SearchPlaces {
  /** The folders of the PATH. */
  readonly path: readonly string[];
  /** Where version managers and installers put programs, whether or not the PATH names it. */
  readonly beyond: readonly string[];
}

export interface FoundCommand {
  readonly path: string;
  /** False when a shell of the user's would not find it: its folder is not on the PATH. */
  readonly onPath: boolean;
}

/** `*` stands for any one name; of several, the newest version comes first. */
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

/** Where agents are looked for, without what `trustedFolders` leaves out. */
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
 * Those in which Landline looks for programs that it runs unconfined by itself. A confined program can put anything into a
 * folder of its session (`roots`), of the project that Landline was started in, or of npm packages. In a session in the
 * home folder, folders on the PATH are read-only instead: all tools of a person may be there.
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

/** `node_modules/.bin`, which npm puts on the PATH of what it starts. */
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
 * The PATH with the folders last that a program of a project can fill: relative ones, and those of npm packages. What is there
 * is found, but not in place of `git` or `node`: a script that is run outside of a sandbox finds its interpreter by the PATH.
 */
export function projectFoldersLast(path: string): string {
  const { last = [], first = [] } = Object.groupBy(path.split(delimiter), (folder) =>
    !isAbsolute(folder) || isInNodeModules(folder) ? "last" : "first",
  );
  return [...first, ...last].join(delimiter);
}

/** Relative entries are left out: they name another folder after each change of folder. */
export function pathFolders(environment: Environment): string[] {
  return [...new Set((environment["PATH"] ?? "").split(delimiter))].filter(isAbsolute);
}

/** The PATH for programs that Landline runs by itself for a session with these folders. */
export function trustedPath(environment: Environment, roots: readonly string[]): string {
  return trustedFolders(pathFolders(environment), roots).join(delimiter);
}

/** The path of a program on `trustedPath`, and nowhere else; null when there is none. */
export function findOnPath(
  name: string,
  environment: Environment,
  roots: readonly string[],
): string | null {
  const path = trustedFolders(pathFolders(environment), roots);
  return findCommand(name, { path, beyond: [] })?.path ?? null;
}

/** Null when it is nowhere. A command with a slash in it is looked for at that place alone. */
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

/** Scripts find their interpreter beside themselves, where a version manager has put both. */
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

/** A file that may be executed. `access` alone is not enough: every folder that may be entered passes X_OK. */
export function isProgram(path: string): boolean {
  try {
    // Most candidates do not exist, and an exception for each would cost many times as much.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
