import { access as mayAccess, constants, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, protectionReason, realPath } from "@landline/shell";
import { emptied } from "./bubblewrap.ts";
import { homeFolders, systemSecrets } from "./confinement.ts";
import { type Denial, denialsIn } from "./denials.ts";
import { isOpenTo, openedHost, withHosts } from "./host-pattern.ts";
import { homeSettings, type SandboxPolicy, toolCaches } from "./policy.ts";

/** What a person would have to open for a program that its sandbox stopped. */
export interface Opening {
  readonly kind: "network" | "read" | "change";
  /** The host, or the path with its links followed. Null: the program named none. */
  readonly target: string | null;
  /** A path as the program named it, absolute. Null: it named none. */
  readonly named: string | null;
  /** In words: "changing /etc/x", "connecting to example.com". */
  readonly what: string;
  /** What its policy has to have besides. Null: it would have to have too much, so only running outside helps. */
  readonly adds: PolicyAddition | null;
  /** What `adds` allows, in words: "changing files in /data". */
  readonly addsWhat: string;
  /** It is never opened for a session: credentials, protected places and the whole network. */
  readonly isOnce: boolean;
  /** Why a person is asked each time, as a clause: it is a credential or a protected place. */
  readonly protection: string | null;
  /** It was open, and the program failed all the same. */
  readonly wasOpen: boolean;
}

/** Paths and hosts to add to a policy. `network`: "on", or one more host. */
export interface PolicyAddition {
  readonly read?: readonly [path: string];
  readonly write?: readonly [path: string];
  readonly opened?: readonly [path: string];
  readonly network?: "on" | readonly [host: string];
}

/** How a program ran, and what is known of its failure. */
export interface StoppedProgram {
  readonly output: string;
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
  const guessed = denials.flatMap(({ kind, what }) => (kind === "network" ? [what] : []));
  const named = guessed.filter((host) => host !== null);
  // The sandbox knows what it refused; the output is believed where it knows nothing.
  const hosts = [stopped.deniedHosts, named].find(({ length }) => length > 0) ?? guessed;
  const places = await placesOf(stopped);
  const paths = await Promise.all(
    denials.filter(({ kind }) => kind !== "network").map((denial) => pathOpening(denial, places)),
  );
  const found = [...paths, ...hosts.map((host) => hostOpening(host, stopped))];
  const all = found.filter((opening) => opening !== null);
  // A failure without a name says nothing beside one that has it.
  const telling = all.filter((opening) => opening !== unnamedOpening);
  const unique = new Map(
    (telling.length > 0 ? telling : all).map((opening) => [opening.what, opening]),
  );
  return [...unique.values()].slice(0, openingsMax);
}

type OpenParts = Pick<SandboxPolicy, "read" | "write" | "opened" | "network">;

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
    network: network === "on" ? network : withHosts(policy.network, network),
  };
}

/** Whether its paths still are where the person was told that they are: by now a link there may lead elsewhere. */
export async function isUnmoved({ read, write }: PolicyAddition): Promise<boolean> {
  const paths = [...(read ?? []), ...(write ?? [])];
  const real = await realPaths(paths);
  return paths.every((path, index) => path === real[index]);
}

/** Longer names do not fit on a button. */
const nameCharacters = 120;

/** All of them as one thing that a person may allow. Null where one of them cannot be opened. */
export function openedTogether(
  openings: readonly Opening[],
): { readonly what: string; readonly isOnce: boolean } | null {
  if (openings.length === 0 || openings.some(({ adds }) => adds === null)) return null;
  const what = [...new Set(openings.map(({ addsWhat }) => addsWhat))].join(" and ");
  return {
    what: what.length <= nameCharacters ? what : "all of this",
    isOnce: openings.some(({ isOnce }) => isOnce),
  };
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
    what: isName ? `connecting to ${host} directly` : "using the network",
    adds: { network: "on" },
    addsWhat: "the whole network",
    isOnce: true,
    // The program does not use the filter. What the filter itself refused leads to a private address, and was not open.
    wasOpen: isName && !deniedHosts.includes(host),
  };
}

/** What a program sees of the disk. All links followed. */
interface Places extends StoppedProgram {
  readonly write: readonly string[];
  /** Folders that are empty inside, and what is seen in them all the same. */
  readonly hiding: readonly string[];
  readonly shown: readonly string[];
  /** Nothing that holds one of them is opened. */
  readonly kept: readonly string[];
}

async function placesOf(stopped: StoppedProgram): Promise<Places> {
  const { policy, home } = stopped;
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name));
  const [write, hiding, shown, closed, secrets, homes] = await Promise.all([
    realPaths(policy.write),
    realPaths([...homeFolders, ...emptied, home, ...(policy.hide ?? [])]),
    realPaths([...policy.read, ...(policy.caches ?? inHome(toolCaches)), ...inHome(homeSettings)]),
    realPaths(stopped.closed),
    realPaths(systemSecrets),
    realPaths([home]),
  ]);
  const kept = [...homes, ...write, ...closed];
  return { ...stopped, write, hiding, shown, closed: [...closed, ...secrets], kept };
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realPath(path)));
}

async function pathOpening({ kind, what }: Denial, places: Places): Promise<Opening | null> {
  if (what === null) return kind === "write" ? unnamedOpening : null;
  const { cwd, closed, write, opened } = places;
  const named = resolve(cwd, what);
  // What is opened is what a link leads to, so a person is told that.
  const path = await realPath(isAbsolute(what) ? what : `${cwd}/${what}`);
  if (closed.some((folder) => isWithin(folder, path))) return null;
  const isInside = write.some((folder) => isWithin(folder, path));
  const access = await deniedAccess(kind, { path, named, isInside }, places);
  if (access === null) return null;
  const words = wordsFor(access, path);
  const wasOpen = opened?.has(words) === true;
  const protection = protectionReason([path, named], access === "read" ? "read" : "write");
  // Any other failure in what it may change is the file's own.
  if (isInside && protection === null && !wasOpen) return null;
  const { adds, addsWhat } = isInside
    ? { adds: { opened: [path] } as const, addsWhat: words }
    : await outsideAddition(access, path, places);
  return {
    kind: access,
    target: path,
    named,
    what: words,
    // It did not help once, and would not the second time.
    adds: wasOpen ? null : adds && protection ? { ...adds, opened: [path] } : adds,
    addsWhat,
    isOnce: protection !== null,
    protection: protection?.message ?? null,
    wasOpen,
  };
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

type Access = "read" | "change";

function wordsFor(access: Access, path: string): string {
  return `${access === "read" ? "reading" : "changing"} ${path}`;
}

interface DeniedPath {
  readonly path: string;
  readonly named: string;
  readonly isInside: boolean;
}

/** What was denied; null when the sandbox had no part in it. */
async function deniedAccess(
  kind: Denial["kind"],
  { path, named, isInside }: DeniedPath,
  places: Places,
): Promise<Access | null> {
  const file = await stat(path).catch(() => null);
  if (kind === "read") {
    if (!isInside && (file === null || protectionReason([path, named], "read") === null))
      return null;
    // Where this process may not read it either, the system denied it.
    return file === null || (await isReadable(path)) ? "read" : null;
  }
  if (kind === "write" && isInside) return "change";
  const folder = await stat(dirname(path)).catch(() => null);
  if (file === null && folder?.isDirectory() !== true) return null;
  if (kind === "write") return "change";
  // A program that makes a file says that it is missing where the folder is hidden.
  const access = file ? "read" : "change";
  const wasOpen = places.opened?.has(wordsFor(access, path)) === true;
  return wasOpen || isHidden(file ? path : dirname(path), places) ? access : null;
}

function isReadable(path: string): Promise<boolean> {
  return mayAccess(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Whether a program does not see it although it may be there. A folder that is empty inside is itself seen. */
function isHidden(path: string, { hiding, write, shown }: Places): boolean {
  return (
    hiding.some((folder) => folder !== path && isWithin(folder, path)) &&
    ![...write, ...shown].some((folder) => isWithin(folder, path))
  );
}

/**
 * They hold no files of people. Some of them name programs that the kernel runs, and whoever may read a socket below
 * `/run` can tell the service behind it to do anything.
 */
const neverOpened = ["/proc", "/sys", "/dev", "/run"];

/** A file, or the folder of one that is not there. */
async function outsideAddition(
  access: Access,
  path: string,
  { kept }: Places,
): Promise<Pick<Opening, "adds" | "addsWhat">> {
  const file = await stat(path).catch(() => null);
  const opened = file ? path : dirname(path);
  const isFolder = file === null || file.isDirectory();
  const addsWhat = wordsFor(access, `${isFolder ? "files in " : ""}${opened}`);
  // A program writes what it likes, and would get everything for one wrong answer.
  const isTooMuch =
    kept.some((each) => isWithin(opened, each)) ||
    file?.isSocket() === true ||
    neverOpened.some((each) => isWithin(each, opened));
  if (isTooMuch) return { adds: null, addsWhat };
  return { adds: access === "read" ? { read: [opened] } : { write: [opened] }, addsWhat };
}
