import { lstat, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Denial } from "@landline/sandbox";
import {
  isWithin,
  protectedPlaces,
  protectionReason,
  type ReasonCode,
  type Verdict,
} from "@landline/shell";
import { PermissionRefused, type PermissionRequest } from "../permission/rule.ts";
import type { Confinement } from "../workspace/workspace.ts";
import { outsideFolders, outsideRequest } from "./outside-paths.ts";
import type { ToolContext } from "./tool.ts";

/** What a sandbox does not let a line do. Everything else it may try. */
const leaving: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "network",
  "system",
  "environment",
  "outside",
  "credential",
  "protected",
]);

/** Whether a line names something that it can't have in a sandbox. */
export function leavesSandbox({ reasons }: Verdict): boolean {
  return reasons.some(({ code }) => leaving.has(code));
}

/**
 * What a line may use in its sandbox: what it named, since a person or a rule allowed that. Null: it changes the
 * machine, which nothing can do in a sandbox.
 */
export async function confinementFor(
  verdict: Verdict,
  { hasNetwork, outputs }: { hasNetwork: boolean; outputs: string },
): Promise<Confinement | null> {
  const { reasons, outside } = verdict;
  const codes = new Set(reasons.map(({ code }) => code));
  if (codes.has("system")) return null;
  const write = await Promise.all(outside.map((path) => openedBy({ ...verdict, outside: [path] })));
  const guarded = reasons.flatMap(({ code, about }) =>
    (code === "credential" || code === "protected") && about.kind === "path"
      ? [about.path.real]
      : [],
  );
  return {
    network: hasNetwork || codes.has("network") ? "on" : "off",
    write: [...new Set(write.flat())],
    read: [outputs, ...outside.map(({ real }) => real)],
    opened: guarded,
  };
}

/** A file in the home folder does not open all of it; a new one has to. */
async function openedBy(verdict: Verdict): Promise<string[]> {
  const folders = await outsideFolders(verdict, "change");
  const home = await realOf(homedir());
  if (!folders.some((folder) => isWithin(folder, home))) return folders;
  const files = verdict.outside.map(({ real }) => real);
  return (await Promise.all(files.map(isThere))).every(Boolean) ? files : folders;
}

/** What a person would have to open for a line that its sandbox stopped. */
export interface Opening {
  readonly request: PermissionRequest;
  readonly confinement: Confinement;
  /** For the model: "writing to /etc/x". */
  readonly what: string;
}

/** How a line ran. */
interface Stopped {
  readonly confinement: Confinement;
  readonly workdir: string;
  readonly context: ToolContext;
}

/** Null when the sandbox had no part in the failure. */
export async function openingFor(
  line: string,
  denials: readonly Denial[],
  stopped: Stopped,
): Promise<Opening | null> {
  for (const denial of denials) {
    const opening =
      denial.kind === "network"
        ? networkOpening(line, denial, stopped.confinement)
        : await pathOpening(line, denial, stopped);
    if (opening !== null) return opening;
  }
  return null;
}

function networkOpening(line: string, { what }: Denial, confinement: Confinement): Opening | null {
  if (confinement.network === "on") return null;
  const to = what === null ? "the network" : what;
  return {
    request: {
      permission: "bash",
      patterns: [`${AGAIN}${line}`],
      always: [],
      because: [`the sandbox kept it from connecting to ${to}`],
      view: { title: `${line} (again, with the network)` },
    },
    confinement: { ...confinement, network: "on" },
    what: `connecting to ${to}`,
  };
}

/** Before a line that is run again with less of a sandbox: no rule that begins with a command matches that. */
const AGAIN = "outside of the sandbox: ";

async function pathOpening(
  line: string,
  { kind, what }: Denial,
  { confinement, workdir, context }: Stopped,
): Promise<Opening | null> {
  if (what === null) return null;
  const named = resolve(workdir, what);
  const { roots } = context.workspace;
  const isInside = roots.some((root) => isWithin(root, named));
  if (isInside) return kind === "missing" ? null : guardedOpening(line, named, kind, confinement);
  // What is opened is what a link leads to, so the person is told that.
  const path = await realOf(named);
  const [file, folder] = await Promise.all(
    [path, dirname(path)].map((each) => stat(each).catch(() => null)),
  );
  // Not there at all, or not for this user: the sandbox had no part in it.
  if (kind === "read" || (kind === "missing" && !folder)) return null;
  const access = kind === "missing" && file ? "read" : "change";
  const verb = access === "read" ? "reading" : "changing";
  const isFolder = file?.isDirectory() === true;
  const around = isFolder ? path : dirname(path);
  const keep = [await realOf(homedir()), ...roots];
  const isTooMuch = (opened: string) => keep.some((each) => isWithin(opened, each));
  const opened = access === "read" || (file && isTooMuch(around)) ? path : around;
  // A program writes what it likes, and would get everything for one wrong answer.
  if (isTooMuch(opened)) return null;
  const because = [`the sandbox kept it from ${verb} ${path}`];
  const protection = protectionReason([path], access === "read" ? "read" : "write");
  const request = outsideRequest(line, { folders: [around], access, because });
  return {
    request: protection ? { ...request, always: [], mustAsk: [protection.message] } : request,
    confinement:
      access === "read"
        ? { ...confinement, read: [...confinement.read, opened] }
        : { ...confinement, write: [...confinement.write, opened] },
    what: `${verb} ${path}`,
  };
}

/** Links followed, as far as the path is there. */
async function realOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || path === dirname(path)) return real ?? path;
  return join(await realOf(dirname(path)), basename(path));
}

/** A credential or a protected place of the project. Any other failure is the file's own. */
function guardedOpening(
  line: string,
  path: string,
  kind: Denial["kind"],
  confinement: Confinement,
): Opening | null {
  const protection = protectionReason([path], kind === "write" ? "write" : "read");
  if (protection === null) return null;
  const what = `${kind === "write" ? "changing" : "reading"} ${path}`;
  return {
    request: {
      permission: "bash",
      patterns: [`${AGAIN}${line}`],
      always: [],
      because: [`the sandbox kept it from ${what}`],
      mustAsk: [protection.message],
      view: { title: `${line} (again, with ${path})` },
    },
    confinement: { ...confinement, opened: [...confinement.opened, path] },
    what,
  };
}

/**
 * The protected places at the top of the session's folders that are not there. A sandbox can't keep a program from making
 * one of them, so they are looked for again when it has ended.
 */
export async function missingPlaces({ workspace }: ToolContext): Promise<string[]> {
  const places = workspace.roots.flatMap((root) => protectedPlaces(root));
  const found = await Promise.all(places.map(isThere));
  return places.filter((_, index) => !found[index]);
}

/** Asks about those that were made. Returns what was removed, because the person did not want it. */
export async function keepMade(
  missing: readonly string[],
  context: ToolContext,
): Promise<string[]> {
  const found = await Promise.all(missing.map(isThere));
  const all = missing.filter((_, index) => found[index]);
  const made = all.filter((path) => !all.some((other) => other !== path && isWithin(other, path)));
  if (made.length === 0) return [];
  const names = made.map((path) => context.workspace.display(path));
  try {
    await context.ask({
      permission: "bash",
      patterns: made.map((path) => `${AGAIN}make ${path}`),
      always: [],
      mustAsk: made.flatMap((path) => protectionReason([path], "write")?.message ?? []),
      view: { title: `Keep ${names.join(", ")}, which the command made` },
    });
    return [];
  } catch (error) {
    if (!(error instanceof PermissionRefused)) throw error;
    await Promise.all(made.map((path) => rm(path, { recursive: true, force: true })));
    return names;
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
