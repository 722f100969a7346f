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
import { homeSettings, type SandboxPolicy, toolCaches } from "./policy.ts";
import { quoted } from "./quoted-path.ts";

/** How a program ran, and what is known of its failure. */
export interface StoppedProgram {
  readonly output: string;
  /** What was run, which may tell whether a path was to be changed where the output does not. */
  readonly line?: Line;
  /** What the sandbox itself refused. */
  readonly deniedHosts: readonly string[];
  readonly policy: SandboxPolicy;
  /** What relative paths in its output start from. */
  readonly cwd: string;
  readonly home: string;
  /** Folders that nothing opens: data of Landline itself. */
  readonly closed: readonly string[];
  /** What was opened for it before, by `Opening.what`. */
  readonly opened?: ReadonlySet<string>;
}

/** More are one question all the same, which names so many. */
const openingsMax = 20;

/**
 * Everything that the sandbox kept a program from, held against the disk, each once. Empty when it had no part in the
 * failure: a file that is not there at all, or that this user may not read.
 */
export async function openingsFor(stopped: StoppedProgram): Promise<Opening[]> {
  const denials = denialsIn(stopped.output);
  const guessed = denials.flatMap(({ failure, what }) => (failure === "network" ? [what] : []));
  const named = guessed.filter((host) => host !== null);
  // The sandbox knows what it refused; the output is believed where it knows nothing.
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
  // A failure without a name, or in what it may change, says nothing beside one that tells more.
  const telling = all.filter((opening) => !isVague(opening, places));
  const unique = new Map<string, Opening>();
  for (const opening of telling.length > 0 ? telling : all)
    // A program that could not move a file may have tried to copy it, which can be opened.
    if (!unique.get(opening.what)?.adds) unique.set(opening.what, opening);
  // Who may change a file may read it.
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

/** The paths that the line is known to change, links followed. */
async function changedBy({ line = "", policy, cwd, home }: StoppedProgram): Promise<Set<string>> {
  if (line.length === 0 || [line].flat().join(" ").length > lineLengthMax) return new Set();
  const judge = await openJudge(home);
  const { paths } = await judge.judge(line, { cwd, roots: policy.write, home });
  const changed = paths.filter(({ use }) => use === "write" || use === "delete");
  return new Set(changed.map(({ real }) => real));
}

type OpenParts = Pick<SandboxPolicy, "read" | "write" | "opened" | "openedToRead" | "network">;

/** The policy with what was opened. */
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

/** Whether its paths still are where the person was told that they are: by now a link there may lead elsewhere. */
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
    // The program does not use the filter. What the filter itself refused leads to a private address, and was not open.
    wasOpen: isName && !deniedHosts.includes(host),
  };
}

/** What a program sees of the disk. All links followed. */
interface Places extends StoppedProgram, PlaceBounds {
  readonly write: readonly string[];
  readonly caches: readonly string[];
  /** Folders that are empty inside, and what is seen in them all the same. */
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
  // What is opened is what a link leads to, so a person is told that.
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
  const protection = protectionReason([path, named], use, quoted(path));
  // Any other failure in what it may change is the file's own.
  const isOfMount = failure !== "read-only" || places.programs.some((one) => isWithin(one, path));
  if (isInside && protection === null && !wasOpen && !(mountFailures.has(failure) && isOfMount))
    return null;
  const { adds, addsWhat, isBroad } = isInside
    ? await unguardedPlace(access, path)
    : await openedPlace(access, path, places);
  // It did not help once, and would not the second time. A mount cannot be moved, nor anything to another one.
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

/** They come of the mounts of the sandbox in what a program may change: folders above credentials, folders on the PATH. */
const mountFailures: ReadonlySet<string> = new Set(["busy", "other-mount", "read-only"]);

/** What is opened for a guarded path: a file that is there, or the folder of one that is not. */
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

/** Nobody knows what to open. */
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

/** What was denied; null when the sandbox had no part in it. */
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
      // Where this process may not do it either, the system denied it.
      return file === null || (await isAllowed(tried, path)) ? tried : null;
    case "read-only":
      return isInside || isPlaced ? "change" : null;
    case "busy":
      return isInside ? "change" : null;
    case "other-mount": {
      const end = await existingAbove(resolve(places.cwd, other ?? ""));
      // Inside of what it may change there are mounts too: folders above credentials.
      const isBetween = isInside && places.write.some((folder) => isWithin(folder, end));
      if (!isPlaced || !(isBetween || isReadOnly(above, places)))
        return wasOpenTo("change") ? "change" : null;
      return (await stat(end)).dev === (await stat(above)).dev ? "change" : null;
    }
    case "missing": {
      if (!isPlaced) return null;
      // A program that makes a file says that it is missing where the folder is hidden.
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

/** Whether a folder that a program sees cannot be changed by it. */
function isReadOnly(folder: string, { write, caches }: Places): boolean {
  if (write.some((each) => isWithin(each, folder)))
    return protectionReason([folder], "write") !== null;
  return ![...caches, ...emptied].some((each) => isWithin(each, folder));
}

/** Whether a program does not see it although it may be there. A folder that is empty inside is itself seen. */
function isHidden(path: string, { hiding, write, shown }: Places): boolean {
  return (
    hiding.some((folder) => folder !== path && isWithin(folder, path)) &&
    ![...write, ...shown].some((folder) => isWithin(folder, path))
  );
}
