import { chmod, mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { credentialPlaces, isWithin } from "@landline/shell";
import { emptied, type Layout } from "./bubblewrap.ts";
import { limitCovers, guardsMax } from "./mount-limit.ts";
import { isAbsent, isMissing } from "./file-errors.ts";
import { foldersBetween, guardedFiles, isBelow } from "./guarded-files.ts";
import { guardsAround } from "./opened-guards.ts";
import {
  homeSettings,
  type ProgramCall,
  type SandboxFolders,
  type SandboxPolicy,
  toolCaches,
} from "./policy.ts";
import { programFolders, runnableIn } from "./program-folders.ts";
import {
  mountsOf,
  type ResolvedPath,
  resolvedPaths,
  withoutRedirectable,
} from "./resolved-path.ts";
import { withSecrets } from "./secret-settings.ts";
import { serviceSockets } from "./service-sockets.ts";
import { byEachName, visibleMounts } from "./visible-mounts.ts";

/** Parent folders of home folders, besides the current home folder. */
export const homeFolders: readonly string[] = ["/home", "/root", "/Users"];

/** System files that only root can read. They matter if Landline runs as root. */
export const systemSecrets: readonly string[] = [
  "shadow shadow- gshadow gshadow- security/opasswd krb5.keytab ssl/private sudoers.d letsencrypt",
  "ssh/ssh_host_rsa_key ssh/ssh_host_ecdsa_key ssh/ssh_host_ed25519_key ssh/ssh_host_dsa_key",
  "wireguard openvpn ppp/chap-secrets NetworkManager/system-connections kubernetes rancher",
]
  .flatMap((names) => names.split(" "))
  .map((name) => `/etc/${name}`)
  .concat("/var/backups", "/var/lib/docker", "/var/lib/kubelet", "/var/spool/cron");

/**
 * Finds on disk the paths of the policy that exist, and those among them to hide or to protect. `programs` are files
 * that run inside besides the program of the call. Throws if a path cannot be guarded.
 */
export async function layoutFor(
  call: ProgramCall,
  policy: SandboxPolicy,
  folders: SandboxFolders,
  programs: readonly string[] = [],
): Promise<Layout> {
  const inHome = (names: readonly string[]) => names.map((name) => join(folders.home, name));
  const home = await realOf(folders.home);
  const [asked, askedCaches] = await Promise.all([
    resolvedPaths(policy.write),
    resolvedPaths(policy.caches ?? inHome(toolCaches)),
  ]);
  // Mounting the root or the parent of the home folder would cover the mounts of the sandbox there.
  const own = asked.filter(({ real }) => real === home || !isWithin(real, home));
  const writable = namesOf([...own, ...askedCaches]);
  const trusted = (paths: readonly ResolvedPath[]) => withoutRedirectable(paths, writable);
  const [projects, caches] = [trusted(own), trusted(askedCaches)];
  const roots = namesOf(projects);
  const { hide = [] } = policy;
  const homes = await homesOutside(roots, [folders.home, ...hide]);
  const isHidden = (path: string) =>
    [...homes, ...emptied].some((folder) => isWithin(folder, path));
  const [settings, asideRead, ofCall] = await Promise.all([
    resolvedPaths([...inHome(homeSettings), ...programs]),
    resolvedPaths(policy.read),
    programFolders(call, { home, isHidden, trusted }),
  ]);
  const readable = namesOf(trusted(asideRead));
  const [inRoots, inReadable] = await Promise.all([
    guardedFiles(roots, { shown: [...roots, ...readable], isWhole: !roots.includes(home) }),
    guardedFiles(readable, { shown: [...roots, ...readable] }),
  ]);
  refuseUnguarded(roots, inRoots.credentials);
  const isGuarded = ({ real }: ResolvedPath) => !inReadable.credentials.includes(real);
  const ownMounts = mountsOf(projects);
  const write = [...ownMounts, ...mountsOf(caches)];
  const read = mountsOf([...trusted([...settings, ...asideRead.filter(isGuarded)]), ...ofCall])
    // A mount over a file of the project would prevent the program from replacing it.
    .filter(({ at }) => isHidden(at) && !ownMounts.some((root) => isWithin(root.at, at)));
  const shown = visibleMounts([...read, ...write], [...homes, ...emptied]);
  const everywhere = (paths: readonly string[]) => byEachName(paths, shown);
  const inCaches = namesOf(caches);
  const isChangeable = (path: string) =>
    [...roots, ...inCaches].some((folder) => isBelow(folder, path));
  const present = (paths: readonly string[]) => presentPaths(paths, isChangeable);
  const isShown = (path: string) => shown.some(({ from }) => isWithin(from, path));
  const isSeen = (path: string) => isShown(path) || !isHidden(path);
  const [found, known, held, places, runnable, pinned, hidden, sockets] = await Promise.all([
    present([...inRoots.credentials, ...inReadable.credentials]),
    present(credentialPlaces(folders.home)).then(withSecrets),
    present(hide),
    present(inRoots.protected),
    runnableIn(roots, inCaches).then(present),
    present(inRoots.pinned),
    present(systemSecrets),
    serviceSockets(isSeen, projectsAmong(roots, home)),
  ]);
  const { covered, kept, opened } = await guardsAround(
    [...found, ...known.filter(isShown)],
    // Mounting other paths would reveal them: a link in a project may point to a hidden folder.
    [...places, ...runnable].filter(isChangeable),
    policy,
  );
  const isPinned = (path: string) =>
    isChangeable(path) &&
    !(policy.opened ?? []).some((one) => isWithin(one, path)) &&
    !kept.some((one) => isWithin(one, path));
  const names = Math.max(1, ...roots.map((root) => everywhere([root]).length));
  const covers = limitCovers(
    // A mount that contains a hidden folder would reveal it, so the folder is covered.
    [...covered, ...held.filter(isShown), ...sockets],
    [...roots, ...inCaches],
    Math.floor(guardsMax / names) - kept.length - pinned.length,
  );
  const above = covers.flatMap((path) => foldersBetween([...roots, ...inCaches], path));
  return {
    call,
    network: policy.network,
    unset: policy.unset ?? [],
    // A folder inside a mount is covered instead.
    homes: homes.filter((folder) => !held.includes(folder) || !isShown(folder)),
    write: write.filter((mount) => shown.includes(mount)),
    read: read.filter((mount) => shown.includes(mount)),
    guarded: {
      credentials: everywhere(covers),
      protected: everywhere(kept),
      pinned: everywhere([...new Set([...pinned, ...above])].filter(isPinned)),
    },
    opened: everywhere(opened),
    hidden,
    folders: await foldersAmong([...covers, ...hidden]),
    unreadable: await unreadableIn(folders.data),
  };
}

/** Projects may have their own sockets. A home folder has the sockets of many services. */
function projectsAmong(roots: readonly string[], home: string): string[] {
  return roots.filter((root) => root !== home);
}

function namesOf(paths: readonly ResolvedPath[]): string[] {
  return [...new Set(paths.map(({ real }) => real))];
}

/** Leaves out a home folder that is a root or is in one: it is shown with the project. */
async function homesOutside(roots: readonly string[], named: readonly string[]): Promise<string[]> {
  const all = namesOf(await resolvedPaths([...homeFolders, ...named]));
  return all
    .filter((path) => path !== sep && !roots.some((root) => isWithin(root, path)))
    .filter((path, _, others) => !others.some((other) => isBelow(other, path)));
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * The real paths of those that exist. Throws if a path cannot be examined and the program can change a folder above it,
 * because the program could make it accessible.
 */
async function presentPaths(
  paths: readonly string[],
  isChangeable: (path: string) => boolean,
): Promise<string[]> {
  const there = paths.filter((path) => !isAbsent(path));
  const real = await Promise.all(
    there.map((path) =>
      realpath(path).catch((error: unknown) => {
        if (isMissing(error) || !isChangeable(path)) return null;
        throw new Error(cannotGuard(path), { cause: error });
      }),
    ),
  );
  return [...new Set(real.filter((path) => path !== null))];
}

function refuseUnguarded(roots: readonly string[], credentials: readonly string[]): void {
  const unguarded = roots.find((root) => credentials.includes(root));
  if (unguarded !== undefined) throw new Error(cannotSearch(unguarded));
}

function cannotSearch(root: string): string {
  return `Credentials in ${root} cannot be covered in a sandbox: it cannot be read, or a name in it is not UTF-8. Make it readable (chmod u+rx), or rename the file with that name.`;
}

function cannotGuard(path: string): string {
  return `${path} cannot be guarded in a sandbox, because it is not accessible. Make the folders above it accessible (chmod u+rx).`;
}

async function foldersAmong(paths: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        (entry) => (entry.isDirectory() ? [path] : []),
        (error: unknown) => {
          if (isMissing(error)) return [];
          throw error;
        },
      ),
    ),
  );
  return new Set(found.flat());
}

/**
 * Linux then reports a refused read as "Permission denied" and a refused write as "Read-only file system", because the
 * mount is checked after the file.
 */
const writeOnly = 0o200;

async function unreadableIn(data: string): Promise<Layout["unreadable"]> {
  const [file, folder] = [join(data, "unreadable"), join(data, "unreadable-folder")];
  await mkdir(data, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(file, "", { flag: "wx", mode: writeOnly }).catch((error: NodeJS.ErrnoException) => {
      ignoreExisting(error);
      return chmod(file, writeOnly);
    }),
    mkdir(folder, { mode: 0 }).catch(ignoreExisting),
  ]);
  return { file, folder };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
