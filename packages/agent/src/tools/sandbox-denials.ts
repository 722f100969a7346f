import { access as mayAccess, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { type Denial, denialsIn, isHostPattern } from "@landline/sandbox";
import { isWithin, protectionReason, realPath } from "@landline/shell";
import { hostRequest, networkRequest } from "../permission/host-rules.ts";
import {
  EXTERNAL_DIRECTORY,
  EXTERNAL_HOST,
  SANDBOX_PATH,
  type Access,
  type OfferedOption,
  type PermissionRequest,
  type Rule,
} from "../permission/rule.ts";
import type { Confinement } from "../workspace/workspace.ts";
import { commandFiles } from "./command-files.ts";
import { folderPattern } from "./outside-paths.ts";
import { isOpenTo, withHosts } from "./sandbox-network.ts";
import type { ToolContext } from "./tool.ts";

/** Before a line that is run again with less of a sandbox: no rule that begins with a command matches that. */
export const OUTSIDE = "outside of the sandbox: ";

/** One thing that a sandbox kept a line from. */
export interface Denied {
  /** For people and the model: "changing /data/x". */
  readonly what: string;
  readonly request: PermissionRequest;
  /** What can be opened for it in the sandbox. Null: it needs the line to run outside. */
  readonly opening: Opening | null;
}

interface Opening {
  /** For people, after "Allow": "changing files in /data". */
  readonly what: string;
  /** Kept when it is opened for the session. Null: it may only be opened once. */
  readonly rule: Rule | null;
  in(confinement: Confinement): Confinement;
}

/** How a line ran, and what is known of its failure. */
export interface Stopped {
  readonly output: string;
  /** What the sandbox itself knows. */
  readonly deniedHosts: readonly string[];
  readonly confinement: Confinement;
  /** What was opened for it, by `Denied.what`. */
  readonly opened: ReadonlySet<string>;
  readonly workdir: string;
  readonly context: ToolContext;
}

/** More are one question all the same, which names so many. */
const deniedMax = 20;

/** Everything that the sandbox kept a line from. Empty when it had no part in the failure. */
export async function deniedThings(stopped: Stopped): Promise<Denied[]> {
  const denials = denialsIn(stopped.output);
  const guessed = denials.flatMap(({ kind, what }) => (kind === "network" ? [what] : []));
  const namedHosts = guessed.filter((host) => host !== null);
  const known = [stopped.deniedHosts, namedHosts];
  const hosts = known.find(({ length }) => length > 0) ?? guessed;
  const paths = denials.filter(({ kind }) => kind !== "network");
  const found = [
    ...(await Promise.all(paths.map((denial) => pathDenied(denial, stopped)))),
    ...hosts.map((host) => hostDenied(host, stopped.confinement)),
  ].flatMap((each) => each ?? []);
  // A failure without a name says nothing beside one that has it.
  const named = found.filter(({ request }) => request.patterns.length > 0);
  const unique = new Map((named.length > 0 ? named : found).map((each) => [each.what, each]));
  const all = [...unique.values()].slice(0, deniedMax);
  return all.map((each) => (stopped.opened.has(each.what) ? openedInVain(each) : each));
}

/** It was opened, and the line failed all the same. */
function openedInVain({ what, request }: Denied): Denied {
  const mustAsk = [...(request.mustAsk ?? []), `${what} was allowed in the sandbox and failed`];
  return { what, request: { ...request, mustAsk }, opening: null };
}

function hostDenied(host: string | null, { network }: Confinement): Denied | null {
  if (network === "on") return null;
  const isName = host !== null && isHostPattern(host) && !host.includes("*");
  // A host that is open, and was not reached: the program does not use the filter.
  if (!isName || isOpenTo(network, host)) return networkDenied(isName ? host : null);
  const what = `connecting to ${host}`;
  return {
    what,
    request: hostRequest(host),
    opening: {
      what,
      rule: { permission: EXTERNAL_HOST, pattern: host, action: "allow" },
      in: (before) => ({ ...before, network: withHosts(before.network, [host]) }),
    },
  };
}

/** The whole network is opened once, and never for the session. */
function networkDenied(host: string | null): Denied {
  return {
    what: host === null ? "using the network" : `connecting to ${host} directly`,
    request: networkRequest(host),
    opening: {
      what: "the whole network",
      rule: null,
      in: (before) => ({ ...before, network: "on" }),
    },
  };
}

async function pathDenied({ kind, what }: Denial, stopped: Stopped): Promise<Denied | null> {
  if (what === null) return kind === "write" ? unnamedDenied : null;
  const { workspace } = stopped.context;
  const named = resolve(stopped.workdir, what);
  // What is opened is what a link leads to, so the person is told that.
  const path = await realPath(named);
  const roots = await Promise.all(workspace.roots.map((root) => realPath(root)));
  const isInside = roots.some((root) => isWithin(root, path));
  const access = await deniedAccess(kind, path, isInside);
  if (access === null) return null;
  const words = `${access === "read" ? "reading" : "changing"} ${path}`;
  const protection = protectionReason([path], access === "read" ? "read" : "write");
  // Any other failure inside of the project is the file's own.
  if (protection === null && isInside) return null;
  const opening = isInside
    ? guardedOpening(path, words)
    : await outsideOpening(path, access, roots);
  const isProtected = protection !== null;
  const use = access === "read" ? "read" : "write";
  const files = await commandFiles({ paths: [{ named, real: path, use }] }, workspace);
  const mustAsk = [
    ...(protection ? [protection.message] : []),
    ...(opening ? [] : [`${path} cannot be opened in the sandbox by itself`]),
  ];
  return {
    what: words,
    request: {
      permission: isInside ? "bash" : EXTERNAL_DIRECTORY,
      patterns: isInside
        ? [`${OUTSIDE}${words}`]
        : [{ pattern: folderPattern(dirname(path)), access, opens: path }],
      always: [],
      files,
      ...(mustAsk.length > 0 && { mustAsk }),
    },
    opening: opening && isProtected ? protectedOpening(opening, path) : opening,
  };
}

/** Asked about as a whole: nobody knows which rules are about it. */
const unnamedDenied: Denied = {
  what: "changing a file that its output does not name",
  request: { permission: "bash", patterns: [], always: [], mustAsk: ["the sandbox stopped it"] },
  opening: null,
};

/** What was denied; null when the sandbox had no part in it. */
async function deniedAccess(
  kind: Denial["kind"],
  path: string,
  isInside: boolean,
): Promise<Access | null> {
  if (isInside) return kind === "missing" ? null : kind === "write" ? "change" : "read";
  if (kind !== "read") {
    const isThere = (await stat(path).catch(() => null)) !== null;
    if (kind === "missing" && isThere) return "read";
    // A program that makes a file says that it is missing where the folder is hidden.
    return isThere || (await stat(dirname(path)).catch(() => null)) ? "change" : null;
  }
  if (protectionReason([path], "read") === null) return null;
  // Where this process may not read it either, the system denied it.
  const isReadable = await mayAccess(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? "read" : null;
}

/** A file, or the folder of one that is not there. Null when that would open all of the system, the home folder or more. */
async function outsideOpening(
  path: string,
  access: Access,
  roots: readonly string[],
): Promise<Opening | null> {
  const file = await stat(path).catch(() => null);
  const opened = file ? path : dirname(path);
  const keep = [await realPath(homedir()), ...roots];
  // A program writes what it likes, and would get everything for one wrong answer.
  if (keep.some((each) => isWithin(opened, each))) return null;
  const isFolder = file === null || file.isDirectory();
  const does = access === "read" ? "reading" : "changing";
  return {
    what: `${does} ${isFolder ? "files in " : ""}${opened}`,
    rule: { permission: SANDBOX_PATH, pattern: opened, access, action: "allow" },
    in: (before) =>
      access === "read"
        ? { ...before, read: [...before.read, opened] }
        : { ...before, write: [...before.write, opened] },
  };
}

/** A credential or a protected place of the project. */
function guardedOpening(path: string, what: string): Opening {
  return {
    what,
    rule: null,
    in: (before) => ({ ...before, opened: [...before.opened, path] }),
  };
}

/** A person decides about it each time, and it stays guarded inside of a folder that is open. */
function protectedOpening(opening: Opening, path: string): Opening {
  return {
    ...opening,
    rule: null,
    in(before) {
      const after = opening.in(before);
      return { ...after, opened: [...after.opened, path] };
    },
  };
}

/** One question about all of them. */
export function leavingQuestion(
  line: string,
  denied: readonly Denied[],
): { requests: PermissionRequest[]; options: OfferedOption[] } {
  const view = { title: `${line} (stopped by the sandbox)` };
  // A field that no rule of the client knows: its rules for the command do not answer for leaving the sandbox.
  const input = { stopped_by_sandbox: denied.map(({ what }) => what) };
  const requests = denied.map(({ what, request }) => ({
    ...request,
    because: [`the sandbox kept it from ${what}`],
    view,
    input,
  }));
  const outside = {
    id: "outside",
    name: "Run outside the sandbox once",
    kind: "allow_once",
  } as const;
  const reject = { id: "reject", name: "Reject", kind: "reject_once" } as const;
  const open = openOption(denied);
  return { requests, options: open ? [outside, open, reject] : [outside, reject] };
}

/** Longer names do not fit on a button. */
const nameCharacters = 120;

function openOption(denied: readonly Denied[]): OfferedOption | null {
  const openings = denied.flatMap(({ opening }) => opening ?? []);
  if (openings.length < denied.length) return null;
  const names = [...new Set(openings.map(({ what }) => what))].join(" and ");
  const what = names.length <= nameCharacters ? names : "all of this";
  const rules = openings.flatMap(({ rule }) => rule ?? []);
  return rules.length === openings.length
    ? { id: "open", name: `Allow ${what} in this session`, kind: "allow_always", rules }
    : { id: "open-once", name: `Allow ${what} once`, kind: "allow_once" };
}
