import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin, protectionReason } from "@landline/shell";
import type { Denial } from "./denials.ts";
import { emptied } from "./bubblewrap.ts";
import { homeFolders } from "./confinement.ts";
import { homeSettings, type SandboxPolicy, toolCaches } from "./policy.ts";

/** What a person would have to open for a program that its sandbox stopped. */
export interface Opening {
  readonly kind: "network" | "read" | "change";
  /** The host, or the path with its links followed. Null: the network, and the program named no host. */
  readonly target: string | null;
  /** In words: "changing /etc/x", "connecting to example.com". */
  readonly what: string;
  /** The folder that a path is in, or is. Null for the network. */
  readonly folder: string | null;
  /** What its policy has to have besides. Null: it would have to have too much. */
  readonly adds: PolicyAddition | null;
  /** Why a person is asked each time, as a clause: it is a credential or a protected place. */
  readonly protection: string | null;
}

/** Paths and hosts to add to a policy. `network`: "on", or one more host. */
export interface PolicyAddition {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly opened?: readonly string[];
  readonly network?: "on" | readonly [host: string];
}

/** How a program ran. */
export interface StoppedProgram {
  readonly policy: SandboxPolicy;
  /** What relative paths in its output start from. */
  readonly cwd: string;
  readonly home: string;
  /** Folders that nothing opens: data of Landline itself. Links followed. */
  readonly closed?: readonly string[];
}

/**
 * The first denial that the sandbox had a part in, held against the disk. Null when it had none: a file that is not
 * there at all, or that this user may not read.
 */
export async function openingFor(
  denials: readonly Denial[],
  stopped: StoppedProgram,
): Promise<Opening | null> {
  for (const denial of denials) {
    const opening =
      denial.kind === "network"
        ? networkOpening(denial, stopped)
        : await pathOpening(denial, stopped);
    if (opening !== null) return opening;
  }
  return null;
}

/** The policy with what was opened. */
export function withOpening(policy: SandboxPolicy, adds: PolicyAddition): SandboxPolicy {
  const { network } = adds;
  const hosts = typeof policy.network === "string" ? [] : policy.network;
  return {
    ...policy,
    read: [...policy.read, ...(adds.read ?? [])],
    write: [...policy.write, ...(adds.write ?? [])],
    opened: [...(policy.opened ?? []), ...(adds.opened ?? [])],
    network:
      network === undefined || policy.network === "on"
        ? policy.network
        : network === "on"
          ? network
          : [...hosts, ...network],
  };
}

function networkOpening({ what }: Denial, { policy }: StoppedProgram): Opening | null {
  const { network } = policy;
  if (network === "on" || (what !== null && network.includes(what))) return null;
  return {
    kind: "network",
    target: what,
    what: `connecting to ${what ?? "the network"}`,
    folder: null,
    adds: { network: what === null ? "on" : [what] },
    protection: null,
  };
}

async function pathOpening(
  { kind, what }: Denial,
  { policy, cwd, home, closed = [] }: StoppedProgram,
): Promise<Opening | null> {
  if (what === null) return null;
  const named = resolve(cwd, what);
  // What is opened is what a link leads to, so a person is told that.
  const path = await realOf(named);
  if (closed.some((folder) => isWithin(folder, path))) return null;
  if (policy.write.some((folder) => isWithin(folder, named)))
    return kind === "missing" ? null : guardedOpening(named, kind);
  const [file, parent] = await Promise.all(
    [path, dirname(path)].map((each) => stat(each).catch(() => null)),
  );
  // Not for this user, or not there at all: the sandbox had no part in it.
  if (kind === "read") return null;
  const isHiding = [file ? path : dirname(path), file ? named : dirname(named)].every((each) =>
    isHidden(each, policy, home),
  );
  if (kind === "missing" && (!parent || !isHiding)) return null;
  const access = kind === "missing" && file ? "read" : "change";
  const folder = file?.isDirectory() === true ? path : dirname(path);
  const keep = [await realOf(home), ...policy.write, ...closed];
  const isTooMuch = (opened: string) =>
    keep.some((each) => isWithin(opened, each)) ||
    kernelFolders.some((each) => isWithin(each, opened));
  const opened = access === "read" || (file && isTooMuch(folder)) ? path : folder;
  const protection = protectionReason([path, named], access === "read" ? "read" : "write");
  return {
    kind: access,
    target: path,
    what: `${access === "read" ? "reading" : "changing"} ${path}`,
    folder,
    // A program writes what it likes, and would get everything for one wrong answer.
    adds: isTooMuch(opened) ? null : access === "read" ? { read: [opened] } : { write: [opened] },
    protection: protection?.message ?? null,
  };
}

/** They are not files, and some of them name programs that the kernel runs. */
const kernelFolders = ["/proc", "/sys", "/dev"];

/** Whether a program does not see it although it may be there. A folder that is empty inside is itself seen. */
function isHidden(path: string, policy: SandboxPolicy, home: string): boolean {
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name));
  const hiding = [...homeFolders, ...emptied, home, ...(policy.hide ?? [])];
  const shown = [
    ...policy.write,
    ...policy.read,
    ...(policy.caches ?? inHome(toolCaches)),
    ...inHome(homeSettings),
  ];
  return (
    hiding.some((folder) => folder !== path && isWithin(folder, path)) &&
    !shown.some((folder) => isWithin(folder, path))
  );
}

/** A credential or a protected place in what it may change. Any other failure is the file's own. */
function guardedOpening(path: string, kind: Denial["kind"]): Opening | null {
  const access = kind === "write" ? "change" : "read";
  const protection = protectionReason([path], access === "read" ? "read" : "write");
  if (protection === null) return null;
  return {
    kind: access,
    target: path,
    what: `${access === "read" ? "reading" : "changing"} ${path}`,
    folder: dirname(path),
    adds: { opened: [path] },
    protection: protection.message,
  };
}

/** Links followed, as far as the path is there. */
async function realOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || path === dirname(path)) return real ?? path;
  return join(await realOf(dirname(path)), basename(path));
}
