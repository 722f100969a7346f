import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";

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

export function searchPlaces(
  environment: Readonly<Record<string, string | undefined>>,
): SearchPlaces {
  const path = pathFolders(environment);
  const home = environment["HOME"] ?? "";
  const beyond = beyondPath
    .filter((pattern) => home !== "" || !pattern.startsWith("~"))
    .flatMap((pattern) => foldersOf(pattern.replace(/^~/, () => home)))
    .filter((folder) => !path.includes(folder));
  return { path, beyond };
}

/** Relative entries are left out: they name another folder after each change of folder. */
export function pathFolders(environment: Readonly<Record<string, string | undefined>>): string[] {
  return [...new Set((environment["PATH"] ?? "").split(delimiter))].filter(isAbsolute);
}

/** The path of a program on the PATH, and nowhere else; null when there is none. */
export function findOnPath(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  return findCommand(name, { path: pathFolders(environment), beyond: [] })?.path ?? null;
}

/** Null when it is nowhere. A command with a slash in it is looked for at that place alone. */
export function findCommand(command: string, places: SearchPlaces): FoundCommand | null {
  if (command.includes("/")) {
    return isAbsolute(command) && isProgram(command) ? { path: command, onPath: true } : null;
  }
  const at = (folders: readonly string[]) =>
    folders.map((folder) => join(folder, command)).find(isProgram);
  const onPath = at(places.path);
  if (onPath !== undefined) return { path: onPath, onPath: true };
  const beyond = at(places.beyond);
  return beyond === undefined ? null : { path: beyond, onPath: false };
}

/** Scripts find their interpreter beside themselves, where a version manager has put both. */
export function pathWith(
  found: FoundCommand,
  environment: Readonly<Record<string, string | undefined>>,
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
