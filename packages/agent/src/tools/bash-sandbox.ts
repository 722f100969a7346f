import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import type { SandboxNetwork } from "@landline/sandbox";
import { isWithin, realPath, type Reason, type ReasonCode, type Verdict } from "@landline/shell";
import type { SandboxOpenings } from "../permission/rule.ts";
import type { Confinement } from "../workspace/workspace.ts";
import { outsideFolders } from "./external-directories.ts";
import { isServedBy } from "./sandbox-network.ts";

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

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
