import { lstat, mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";
import { credentialPlaces, isWithin } from "@landline/shell";
import { emptied, type Layout, type Mount } from "./bubblewrap.ts";
import { guardedFiles } from "./guarded-files.ts";
import {
  homeSettings,
  type ProgramCall,
  type SandboxFolders,
  type SandboxPolicy,
  toolCaches,
} from "./policy.ts";

/** Where the homes of people are, besides the one in use. */
export const homeFolders: readonly string[] = ["/home", "/root", "/Users"];

/** Files of the system that only root may read. They matter where Landline runs as root. */
export const systemSecrets: readonly string[] = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/ssl/private",
  "/etc/sudoers.d",
];

/**
 * Looks at the disk: what of the policy exists, and what of it must be hidden or kept as it is. `programs` are files that
 * are run inside besides the program of the call.
 */
export async function layoutFor(
  call: ProgramCall,
  policy: SandboxPolicy,
  folders: SandboxFolders,
  programs: readonly string[] = [],
): Promise<Layout> {
  const inHome = (names: readonly string[]) => names.map((name) => join(folders.home, name));
  const [all, caches] = await Promise.all([
    mountsOf(policy.write),
    mountsOf(policy.caches ?? inHome(toolCaches)),
  ]);
  const home = await realOf(folders.home);
  // The whole system, or all home folders, would cover what the sandbox puts there.
  const own = all.filter(({ from }) => from === home || !isWithin(from, home));
  const homes = await homesOutside(own, [folders.home, ...(policy.hide ?? [])]);
  const isHidden = (path: string) =>
    [...homes, ...emptied].some((folder) => isWithin(folder, path));
  const shownToRead = (await mountsOf(policy.read)).map(({ from }) => from);
  const [ofCall, guarded, readable, hidden] = await Promise.all([
    programFolders(call, folders.home, isHidden),
    guardedFiles(own.map(({ from }) => from)),
    guardedFiles(shownToRead),
    existing(systemSecrets),
  ]);
  // A mount over a file of the project would keep it from being replaced.
  const apart = programs.filter((file) => !own.some(({ at }) => isWithin(at, file)));
  const mounts = await mountsOf([...inHome(homeSettings), ...policy.read, ...ofCall, ...apart]);
  const read = mounts.filter(({ at }) => isHidden(at));
  const write = [...own, ...caches];
  const shown = [...read, ...caches].map(({ at }) => at);
  const known = credentialPlaces(folders.home).filter((path) =>
    shown.some((folder) => isWithin(folder, path)),
  );
  const { opened = [] } = policy;
  const isGuarded = (path: string) =>
    !opened.some((one) => isWithin(one, path) || isWithin(path, one));
  const isPinned = (path: string) => !opened.some((one) => isWithin(one, path));
  // A folder that is to be empty inside cannot be, where a writable one holds it: nobody can read it there.
  const held = (await mountsOf(policy.hide ?? []))
    .map(({ from }) => from)
    .filter((path) => own.some(({ from }) => isWithin(from, path)));
  const [found, places, pinned] = await Promise.all([
    existing([...guarded.credentials, ...readable.credentials, ...known]),
    changeable([...guarded.protected, ...(await runnableIn(caches))], write),
    changeable(guarded.pinned, write),
  ]);
  const everywhere = (paths: readonly string[]) => byEachName(paths, [...write, ...read]);
  const credentials = everywhere([...found.filter(isGuarded), ...held]);
  return {
    call,
    network: policy.network,
    unset: policy.unset ?? [],
    homes,
    write,
    read,
    guarded: {
      credentials,
      protected: everywhere(places.filter(isGuarded)),
      pinned: everywhere(pinned.filter(isPinned)),
    },
    hidden,
    folders: await foldersAmong([...credentials, ...hidden]),
    unreadable: await unreadableIn(folders.data),
  };
}

/** By its real name, and by the name that was given: the program may be told either. */
async function mountsOf(paths: readonly string[]): Promise<Mount[]> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path): Promise<Mount[]> => {
      const from = await realpath(path).catch(() => null);
      if (from === null) return [];
      return from === path ? [{ from, at: path }] : [from, path].map((at) => ({ from, at }));
    }),
  );
  return found.flat();
}

/** A path at each place where a mount shows it. */
function byEachName(paths: readonly string[], mounts: readonly Mount[]): string[] {
  const names = paths.flatMap((path) => [
    path,
    ...mounts
      .filter(({ from }) => isWithin(from, path))
      .map(({ from, at }) => join(at, relative(from, path))),
  ]);
  return [...new Set(names)];
}

/** A home that the project holds, or is, is shown with the project. */
async function homesOutside(write: readonly Mount[], named: readonly string[]): Promise<string[]> {
  const real = await Promise.all(named.map(realOf));
  const all = await existing([...new Set([...homeFolders, ...real, ...named])]);
  return all
    .filter((path) => path !== sep && !write.some(({ at }) => isWithin(at, path)))
    .filter((path, _, others) => !others.some((other) => other !== path && isWithin(other, path)));
}

/** The folders of the program itself and of everything on the PATH. Only those that would be hidden matter. */
async function programFolders(
  { file, scripts = [] }: ProgramCall,
  home: string,
  isHidden: (path: string) => boolean,
): Promise<string[]> {
  const named = [file, ...scripts].filter((path) => isAbsolute(path) && isHidden(path));
  const real = await Promise.all(named.map(realOf));
  const files = await existing([...named, ...real]);
  return [
    ...files.map((each) => unlessHolding(home, packageFolder(each), each)),
    ...onPath().map((entry) => unlessHolding(home, installFolder(entry), entry)),
  ];
}

/** What lies in the home folder itself does not show all of it. */
function unlessHolding(home: string, folder: string, otherwise: string): string {
  return isWithin(folder, home) || folder === join(home, ".local") ? otherwise : folder;
}

/** Programs in caches that people run outside of the sandbox. */
async function runnableIn(caches: readonly Mount[]): Promise<string[]> {
  const folders = [...onPath(), ...caches.map(({ from }) => join(from, "bin"))];
  const real = await Promise.all(folders.map(realOf));
  return real.filter((path) => caches.some(({ from }) => isWithin(from, path)));
}

function onPath(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
}

/** A script of a package needs the packages beside it. */
function packageFolder(file: string): string {
  const packages = `${sep}node_modules${sep}`;
  const start = file.indexOf(packages);
  return start === -1 ? dirname(file) : file.slice(0, start + packages.length - 1);
}

/** `~/miniconda3/bin` needs what is beside it, and `~/bin` and `~/.local/bin` do not. */
function installFolder(entry: string): string {
  const parent = dirname(entry);
  const isInstall =
    /\/s?bin$/.test(entry) && !/^\/(?:home\/[^/]+|root|Users\/[^/]+)(?:\/\.local)?$/.test(parent);
  return isInstall ? parent : entry;
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/**
 * What could be changed inside, links followed. To mount anything else would show it: a link in a project may lead to a
 * folder that is hidden.
 */
async function changeable(paths: readonly string[], write: readonly Mount[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  const isBelow = (path: string) => write.some(({ from }) => from !== path && isWithin(from, path));
  return [...new Set(real.filter((path) => path !== null && isBelow(path)))] as string[];
}

async function foldersAmong(paths: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        (entry) => (entry.isDirectory() ? [path] : []),
        () => [],
      ),
    ),
  );
  return new Set(found.flat());
}

async function unreadableIn(data: string): Promise<Layout["unreadable"]> {
  const [file, folder] = [join(data, "unreadable"), join(data, "unreadable-folder")];
  await mkdir(data, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(file, "", { flag: "wx", mode: 0 }).catch(ignoreExisting),
    mkdir(folder, { mode: 0 }).catch(ignoreExisting),
  ]);
  return { file, folder };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
