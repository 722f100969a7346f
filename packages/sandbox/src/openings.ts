import { access as mayAccess, constants, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, type Line, openJudge, protectionReason, realPath } from "@landline/shell";
import { pathFolders } from "@landline/system/find-command";
import { emptied } from "./bubblewrap.ts";
import { homeFolders, systemSecrets } from "./confinement.ts";
import { type Denial, denialsIn } from "./denials.ts";
import { isOpenTo, openedHost, withHosts } from "./host-pattern.ts";
import {
  existingAbove,
  type OpenedPlace,
  openedPlace,
  type PlaceBounds,
  sharedNames,
} from "./opened-place.ts";
import type { Access, Opening, PolicyAddition } from "./opening.ts";
import { accessWords, unguardedWords, wordsMax } from "./opening-text.ts";
import { type ConfinedCall, homeSettings, type SandboxPolicy, toolCaches } from "./policy.ts";
import { quoted } from "./quoted-path.ts";

/** How a program ran and failed. */
export interface StoppedProgram {
  readonly output: string;
  /** The command line. It can show whether a path was to be changed if the output does not. */
  readonly line?: Line;
  /** Hosts that the sandbox itself refused. */
  readonly deniedHosts: readonly string[];
  readonly policy: SandboxPolicy;
  /** Whether its sandbox let it use a file. */
  readonly permits: ConfinedCall["permits"];
  /** The base of relative paths in the output. */
  readonly cwd: string;
  readonly home: string;
  /** Folders that are never opened: Landline's own data. */
  readonly closed: readonly string[];
  /** What was opened for the program before, by `Opening.what`. */
  readonly opened?: ReadonlySet<string>;
}

/** A single request names at most this many. */
const openingsMax = 20;

/**
 * Everything that the sandbox denied to a program, checked against the disk, without duplicates. Empty if the sandbox
 * did not cause the failure: the file does not exist, or this user may not read it.
 */
export async function openingsFor(stopped: StoppedProgram): Promise<Opening[]> {
  const denials = denialsIn(stopped.output);
  const guessed = denials.flatMap(({ failure, what }) => (failure === "network" ? [what] : []));
  const named = guessed.filter((host) => host !== null);
  // The refusals of the sandbox are certain. The output counts only if there are none.
  const hosts = [stopped.deniedHosts, named].find(({ length }) => length > 0) ?? guessed;
  const places = await placesOf(stopped);
  const changed = denials.some(isUnclear) ? await changedBy(stopped) : new Set<string>();
  const paths = await Promise.all(
    denials
      .filter(({ failure }) => failure !== "network")
      .map((denial) => pathOpening(denial, places, changed)),
  );
  const found = [...paths, ...hosts.map((host) => hostOpening(host, stopped))];
  const all = found.filter((opening) => opening !== null);
  // A failure without a name, or in a writable folder, is dropped if another failure is more specific.
  const telling = all.filter((opening) => !isVague(opening, places));
  const unique = new Map<string, Opening>();
  for (const opening of telling.length > 0 ? telling : all)
    // A program that could not move a file may have tried to copy it, and that can be opened.
    if (!unique.get(opening.what)?.adds) unique.set(opening.what, opening);
  // Permission to change a file includes reading it.
  const isSaid = ({ kind, target }: Opening) =>
    kind === "read" && target !== null && unique.has(accessWords("change", target));
  return [...unique.values()].filter((opening) => !isSaid(opening)).slice(0, openingsMax);
}

function isVague(opening: Opening, { write }: Places): boolean {
  const { target, adds, protection, wasOpen } = opening;
  if (target === null) return opening === unnamedOpening;
  const isInside = write.some((folder) => isWithin(folder, target));
  return isInside && adds === null && protection === null && !wasOpen;
}

function isUnclear({ failure, isChange }: Denial): boolean {
  return failure !== "network" && !isChange;
}

/** Longer lines are not analysed. */
const lineLengthMax = 16_384;

/** The real paths that the command line changes. */
async function changedBy({ line = "", policy, cwd, home }: StoppedProgram): Promise<Set<string>> {
  if (line.length === 0 || [line].flat().join(" ").length > lineLengthMax) return new Set();
  const judge = await openJudge(home);
  const { paths } = await judge.judge(line, { cwd, roots: policy.write, home });
  const changed = paths.filter(({ use }) => use === "write" || use === "delete");
  return new Set(changed.map(({ real }) => real));
}

type OpenParts = Pick<SandboxPolicy, "read" | "write" | "opened" | "openedToRead" | "network">;

/** The policy with the addition. */
export function withOpening<Policy extends OpenParts>(
  policy: Policy,
  adds: PolicyAddition,
): Policy {
  const { network = [] } = adds;
  return {
    ...policy,
    read: [...policy.read, ...(adds.read ?? [])],
    write: [...policy.write, ...(adds.write ?? [])],
    opened: [...(policy.opened ?? []), ...(adds.opened ?? [])],
    openedToRead: [...(policy.openedToRead ?? []), ...(adds.openedToRead ?? [])],
    network: network === "on" ? network : withHosts(policy.network, network),
  };
}

/** Whether the paths still resolve to the targets that the person saw. A link may have changed since. */
export async function isUnmoved({ read, write }: PolicyAddition): Promise<boolean> {
  const paths = [...(read ?? []), ...(write ?? [])];
  const real = await realPaths(paths);
  return paths.every((path, index) => path === real[index]);
}

function hostOpening(
  host: string | null,
  { policy: { network }, deniedHosts }: StoppedProgram,
): Opening | null {
  if (network === "on") return null;
  const shared = { kind: "network", named: null, protection: null } as const;
  const opened = host === null ? null : openedHost(host);
  const isName = host !== null && opened !== null;
  if (isName && !isOpenTo(network, host)) {
    const what = `connecting to ${opened}`;
    const adds = { network: [opened] } as const;
    return { ...shared, target: host, what, adds, addsWhat: what, isOnce: false, wasOpen: false };
  }
  return {
    ...shared,
    target: isName ? host : null,
    what: isName ? `connecting to ${opened} directly` : "using the network",
    adds: { network: "on" },
    addsWhat: "the whole network",
    isOnce: true,
    // The program does not use the proxy. A host that the proxy refused has a private address, and was not open.
    wasOpen: isName && !deniedHosts.includes(host),
  };
}

/** The parts of the disk that a program sees. All paths are real paths. */
interface Places extends StoppedProgram, PlaceBounds {
  readonly write: readonly string[];
  readonly caches: readonly string[];
  /** Folders that are empty inside, and the paths in them that are visible anyway. */
  readonly hiding: readonly string[];
  readonly shown: readonly string[];
  /** Folders on the PATH, which no program may change. */
  readonly programs: readonly string[];
}

async function placesOf(stopped: StoppedProgram): Promise<Places> {
  const { policy, home } = stopped;
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name));
  const [write, caches, hiding, read, closed, secrets, homes, shared, programs] = await Promise.all(
    [
      realPaths(policy.write),
      realPaths(policy.caches ?? inHome(toolCaches)),
      realPaths([...homeFolders, ...emptied, home, ...(policy.hide ?? [])]),
      realPaths([...policy.read, ...inHome(homeSettings)]),
      realPaths(stopped.closed),
      realPaths(systemSecrets),
      realPaths([home]),
      realPaths(inHome(sharedNames)),
      realPaths(pathFolders(process.env)),
    ],
  );
  const kept = [...homes, ...write, ...closed];
  const shown = [...read, ...caches];
  return {
    ...stopped,
    write,
    caches,
    hiding,
    shown,
    closed: [...closed, ...secrets],
    kept,
    shared,
    programs,
  };
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realPath(path)));
}

async function pathOpening(
  denial: Denial,
  places: Places,
  changed: ReadonlySet<string>,
): Promise<Opening | null> {
  const { failure, what: name, isChange } = denial;
  if (name === null) return isChange ? unnamedOpening : null;
  const { cwd, closed, write, opened } = places;
  const named = resolve(cwd, name);
  // The target of a link is opened, so the person sees the target.
  const path = await realPath(isAbsolute(name) ? name : `${cwd}/${name}`);
  if (closed.some((folder) => isWithin(folder, path))) return null;
  const isInside = write.some((folder) => isWithin(folder, path));
  const tried = isChange || changed.has(path) ? "change" : "read";
  const wasOpenTo = (one: Access) => opened?.has(accessWords(one, path)) === true;
  const access = await deniedAccess(denial, tried, { path, named, isInside, wasOpenTo }, places);
  if (access === null) return null;
  const what = accessWords(access, path);
  const wasOpen = wasOpenTo(access);
  const use = access === "read" ? "read" : "write";
  const protection =
    protectionReason([path, named], use, quoted(path)) ??
    (isInside && !places.permits(use, path) ? guardedBeside(path) : null);
  // Any other failure in a writable folder has nothing to do with the sandbox.
  const isOfMount = failure !== "read-only" || places.programs.some((one) => isWithin(one, path));
  if (isInside && protection === null && !wasOpen && !(mountFailures.has(failure) && isOfMount))
    return null;
  const { adds, addsWhat, isBroad } = isInside
    ? await unguardedPlace(access, path)
    : await openedPlace(access, path, places);
  // It did not help before, so it would not help again. A mount cannot be moved, and no file can move to another mount.
  const isInVain = wasOpen || failure === "other-mount" || (failure === "busy" && !protection);
  const isShown = Math.max(what.length, addsWhat.length) <= wordsMax;
  const added = adds && protection && !isInside ? { ...adds, opened: [path] as const } : adds;
  return {
    kind: access,
    target: path,
    named,
    what,
    adds: isInVain || !isShown ? null : added,
    addsWhat,
    isOnce: protection !== null || isInside || isBroad,
    protection: protection?.message ?? null,
    wasOpen,
  };
}

/** A file without the name of a credential that is guarded as one. */
function guardedBeside(path: string): { readonly message: string } {
  return {
    message: `${quoted(path)} is guarded (a link with the name of a credential or of a protected place leads to it, or it is in a folder that is guarded as a whole)`,
  };
}

/** Failures that the sandbox's mounts cause in writable folders: folders above credentials, folders on the PATH. */
const mountFailures: ReadonlySet<string> = new Set(["busy", "other-mount", "read-only"]);

/** The path to open for a guarded path: an existing file, or the folder of a missing file. */
async function unguardedPlace(access: Access, path: string): Promise<OpenedPlace> {
  if (access === "read") {
    const adds = { openedToRead: [path] } as const;
    return { adds, addsWhat: accessWords(access, path), isBroad: false };
  }
  const file = await stat(path).catch(() => null);
  const opened = file ? path : await existingAbove(path);
  const isFolder = file === null || file.isDirectory();
  return { adds: { opened: [path] }, addsWhat: unguardedWords(opened, isFolder), isBroad: false };
}

/** It is unknown what to open. */
const unnamedOpening: Opening = {
  kind: "change",
  target: null,
  named: null,
  what: "changing a file that its output does not name",
  adds: null,
  addsWhat: "",
  isOnce: true,
  protection: null,
  wasOpen: false,
};

interface DeniedPath {
  readonly path: string;
  readonly named: string;
  readonly isInside: boolean;
  readonly wasOpenTo: (access: Access) => boolean;
}

/** The denied access. Null if the sandbox did not deny it. */
async function deniedAccess(
  { failure, makesParents, other }: Denial,
  tried: Access,
  { path, named, isInside, wasOpenTo }: DeniedPath,
  places: Places,
): Promise<Access | null> {
  const file = await stat(path).catch(() => null);
  const above = await existingAbove(path);
  const isPlaced = file !== null || above === dirname(path) || makesParents === true;
  switch (failure) {
    case "refused":
      if (!isInside && (file === null || protectionReason([path, named], "read") === null))
        return null;
      // If this process has no permission either, the system denied it.
      return file === null || (await isAllowed(tried, path)) ? tried : null;
    case "read-only":
      return isInside || isPlaced ? "change" : null;
    case "busy":
      return isInside ? "change" : null;
    case "other-mount": {
      const end = await existingAbove(resolve(places.cwd, other ?? ""));
      // A writable folder contains mounts too: folders above credentials.
      const isBetween = isInside && places.write.some((folder) => isWithin(folder, end));
      if (!isPlaced || !(isBetween || isReadOnly(above, places)))
        return wasOpenTo("change") ? "change" : null;
      return (await stat(end)).dev === (await stat(above)).dev ? "change" : null;
    }
    case "missing": {
      if (!isPlaced) return null;
      // A program that creates a file reports it as missing if its folder is hidden.
      const access = file ? tried : "change";
      const isDenied =
        isHidden(file ? path : above, places) ||
        (makesParents === true && file === null && isReadOnly(above, places));
      return wasOpenTo(access) || isDenied ? access : null;
    }
    default:
      return null;
  }
}

function isAllowed(access: Access, path: string): Promise<boolean> {
  return mayAccess(path, access === "read" ? constants.R_OK : constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Whether a program can see a folder but not change it. */
function isReadOnly(folder: string, { write, caches }: Places): boolean {
  if (write.some((each) => isWithin(each, folder)))
    return protectionReason([folder], "write") !== null;
  return ![...caches, ...emptied].some((each) => isWithin(each, folder));
}

/** Whether a path may exist but is hidden from the program. An empty folder itself is visible. */
function isHidden(path: string, { hiding, write, shown }: Places): boolean {
  return (
    hiding.some((folder) => folder !== path && isWithin(folder, path)) &&
    ![...write, ...shown].some((folder) => isWithin(folder, path))
  );
}
