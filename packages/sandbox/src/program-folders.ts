import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin, realPath } from "@landline/shell";
import { isInNodeModules, pathFolders } from "@landline/system/find-command";
import type { ProgramCall } from "./policy.ts";
import { type ResolvedPath, resolvedPaths } from "./resolved-path.ts";

interface ProgramView {
  /** The real path. */
  readonly home: string;
  readonly isHidden: (path: string) => boolean;
  /** Removes paths that a program could redirect. */
  readonly trusted: (paths: readonly ResolvedPath[]) => ResolvedPath[];
}

/** The folders of the program itself and of all programs on the PATH. Only hidden folders matter. */
export async function programFolders(
  { file, scripts = [] }: ProgramCall,
  { home, isHidden, trusted }: ProgramView,
): Promise<ResolvedPath[]> {
  const named = [file, ...scripts].filter((path) => isAbsolute(path) && isHidden(path));
  const files = trusted(await resolvedPaths(named)).flatMap(({ name, real }) => [name, real]);
  const onPath = await resolvedPaths(pathFolders(process.env));
  const names = onPath.flatMap(({ name, real }) => [name, real]).filter(isHidden);
  const folders = await resolvedPaths([
    ...files.map((each) => unlessHolding(home, packageFolder(each), each)),
    ...names.flatMap((entry) => installedBeside(home, entry)),
  ]);
  return trusted([...onPath, ...folders]).filter(({ real }) => !isWithin(real, home));
}

/**
 * Programs below these folders that people run outside the sandbox. Programs of npm packages are installed and removed
 * with the packages.
 */
export async function runnableIn(
  roots: readonly string[],
  caches: readonly string[],
): Promise<string[]> {
  const onPath = pathFolders(process.env).filter((folder) => !isInNodeModules(folder));
  const folders = [...onPath, ...landlineItself(), ...caches.map((folder) => join(folder, "bin"))];
  const real = await Promise.all(folders.map((folder) => realPath(folder)));
  return real.filter((path) => [...roots, ...caches].some((folder) => isWithin(folder, path)));
}

/** Node with the packages beside it, and the bundle. Sources are not included: they are an ordinary project. */
function landlineItself(): string[] {
  const file = fileURLToPath(import.meta.url);
  return [packageFolder(process.execPath), ...(file.endsWith(".ts") ? [] : [dirname(file)])];
}

/** A file directly in the home folder must not expose the whole home folder. */
function unlessHolding(home: string, folder: string, otherwise: string): string {
  return isWithin(folder, home) || folder === join(home, ".local") ? otherwise : folder;
}

/** A script of a package needs the packages beside it. */
function packageFolder(file: string): string {
  const packages = `${sep}node_modules${sep}`;
  const start = file.indexOf(packages);
  return start === -1 ? dirname(file) : file.slice(0, start + packages.length - 1);
}

/**
 * The siblings that programs in `~/miniconda3/bin` need. Not all siblings: tools keep credentials there
 * (`~/.fly/config.yml`), and the folder may be a project.
 */
function installedBeside(home: string, entry: string): string[] {
  const folder = unlessHolding(home, dirname(entry), entry);
  const isOfPerson = /^\/(?:home\/[^/]+|root|Users\/[^/]+)(?:\/\.local)?$/.test(folder);
  const isInstall = /\/s?bin$/.test(entry) && folder !== entry && !isOfPerson;
  return isInstall ? installed.map((name) => join(folder, name)) : [];
}

/** Names in the folders of compilers, interpreters, package managers and version managers. */
const installed: readonly string[] = [
  "bin sbin lib lib32 lib64 libexec include share etc ssl",
  "conf jmods release boot base pkg go.env VERSION version",
  "pyvenv.cfg conda-meta condabin envs pkgs platform packages",
  "Cellar Homebrew opt ghc plugins shims store toolchains versions",
].flatMap((names) => names.split(" "));
