import { lstat, rm, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { SandboxNetwork } from "@landline/sandbox";
import {
  isWithin,
  protectedPlaces,
  protectionReason,
  realPath,
  type Reason,
  type ReasonCode,
  type Verdict,
} from "@landline/shell";
import { isInNodeModules, pathFolders } from "@landline/system/find-command";
import { PermissionRefused, type SandboxOpenings } from "../permission/rule.ts";
import type { Confinement } from "../workspace/workspace.ts";
import { outsideFolders } from "./external-directories.ts";
import { isServedBy } from "./sandbox-network.ts";
import type { ToolContext } from "./tool.ts";

/** Before a line that is run again with less of a sandbox: no rule that begins with a command matches that. */
export const OUTSIDE = "outside of the sandbox: ";

/** What a sandbox does not let a line do. Everything else it may try. */
const leaving: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "network",
  "system",
  "environment",
  "outside",
  "credential",
  "protected",
]);

/** Whether a line names something that it can't have in a sandbox with this network. */
export function leavesSandbox({ reasons }: Verdict, network: SandboxNetwork): boolean {
  return reasons.some((reason) => leaving.has(reason.code) && !isServed(reason, network));
}

function isServed({ code, about }: Reason, network: SandboxNetwork): boolean {
  return code === "network" && about.kind === "command" && isServedBy(network, about.command);
}

interface Grant {
  network: SandboxNetwork;
  isUnasked: boolean;
  outputs: string;
  openings: SandboxOpenings;
}

/**
 * What a line may use in its sandbox: what it named, since a person or a rule allowed that, and what a person opened
 * for the session. Null: it changes the machine, which nothing can do in a sandbox.
 */
export async function confinementFor(verdict: Verdict, grant: Grant): Promise<Confinement | null> {
  const { reasons, outside } = verdict;
  const { network, isUnasked, outputs, openings } = grant;
  if (reasons.some(({ code }) => code === "system")) return null;
  const write = await Promise.all(outside.map((path) => openedBy({ ...verdict, outside: [path] })));
  const guarded = reasons.flatMap(({ code, about }) =>
    (code === "credential" || code === "protected") && about.kind === "path"
      ? [about.path.real]
      : [],
  );
  const isRead = (path: string) =>
    verdict.paths.every(({ real, use }) => real !== path || use === "read");
  return {
    network,
    isUnasked,
    write: [...new Set([...(await unmoved(openings.write)), ...write.flat()])],
    read: [outputs, ...(await unmoved(openings.read)), ...outside.map(({ real }) => real)],
    opened: guarded.filter((path) => !isRead(path)),
    openedToRead: guarded.filter(isRead),
  };
}

/** Those that still are where the person was told that they are: a link leads elsewhere. */
async function unmoved(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realPath(path)));
  return paths.filter((path, index) => path === real[index]);
}

/** A file in the home folder does not open all of it; a new one has to. */
async function openedBy(verdict: Verdict): Promise<string[]> {
  const folders = await outsideFolders(verdict, "change");
  const home = await realPath(homedir());
  if (!folders.some((folder) => isWithin(folder, home))) return folders;
  const files = verdict.outside.map(({ real }) => real);
  return (await Promise.all(files.map(isThere))).every(Boolean) ? files : folders;
}

/**
 * The protected places at the top of the session's folders, and the folders of the PATH in them, that are not there. A
 * sandbox can't keep a program from making one of them, so they are looked for again when it has ended.
 */
export async function missingPlaces({ workspace }: ToolContext): Promise<string[]> {
  const { roots } = workspace;
  const onPath = pathFolders(process.env).filter(
    (folder) => !isInNodeModules(folder) && roots.some((root) => isWithin(root, folder)),
  );
  const places = [...roots.flatMap((root) => protectedPlaces(root)), ...onPath];
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
      patterns: made.map((path) => `${OUTSIDE}make ${path}`),
      always: [],
      mustAsk: made.map((path) => protectionReason([path], "write")?.message ?? onThePath(path)),
      view: { title: `Keep ${names.join(", ")}, which the command made` },
    });
    return [];
  } catch (error) {
    if (!(error instanceof PermissionRefused)) throw error;
    const roots = await Promise.all(context.workspace.roots.map((root) => realPath(root)));
    await Promise.all(made.map((path) => removeMade(path, roots)));
    return names;
  }
}

function onThePath(folder: string): string {
  return `${folder} is a folder of the PATH`;
}

/** Where a link above it leads outside the project, the link is what the command made. */
async function removeMade(path: string, roots: readonly string[]): Promise<void> {
  const real = join(await realPath(dirname(path)), basename(path));
  if (roots.some((root) => isWithin(root, real))) return rm(real, { recursive: true, force: true });
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const parent = await realPath(dirname(above));
    if (!roots.some((root) => isWithin(root, parent))) continue;
    // Fails for anything but a link or a file.
    return unlink(join(parent, basename(above)));
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
