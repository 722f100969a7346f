import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import type { SandboxNetwork } from "@landline/sandbox";
import { isWithin, realPath, type Reason, type ReasonCode, type Verdict } from "@landline/shell";
import type { SandboxOpenings } from "../permission/rule.ts";
import type { Confinement } from "../workspace/workspace.ts";
import { externalFolders } from "./external-directories.ts";
import { servesCommand } from "./sandbox-network.ts";

/**
 * Prefix of a line that runs again with fewer restrictions. No rule that begins with a command matches it.
 */
export const OUTSIDE = "outside the sandbox: ";

/** Reasons that a sandbox prevents. A line may try everything else in it. */
const leaving: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "network",
  "system",
  "environment",
  "outside",
  "credential",
  "protected",
]);

/** Whether a line needs something that a sandbox with this network does not allow. */
export function leavesSandbox({ reasons }: Verdict, network: SandboxNetwork): boolean {
  return reasons.some((reason) => leaving.has(reason.code) && !isNetworkAvailable(reason, network));
}

function isNetworkAvailable({ code, about }: Reason, network: SandboxNetwork): boolean {
  return code === "network" && about.kind === "command" && servesCommand(network, about.command);
}

interface Grant {
  network: SandboxNetwork;
  isUnasked: boolean;
  outputs: string;
  openings: SandboxOpenings;
}

/**
 * What a line may use in its sandbox: what it names, because that was allowed, and what the user opened for
 * the session. Null when it changes the system, which is impossible in a sandbox.
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
    write: [...new Set([...(await stillSameTarget(openings.write)), ...write.flat()])],
    read: [outputs, ...(await stillSameTarget(openings.read)), ...outside.map(({ real }) => real)],
    opened: guarded.filter((path) => !isRead(path)),
    openedToRead: guarded.filter(isRead),
  };
}

/** Paths that are still what the user approved: a link may now point elsewhere. */
async function stillSameTarget(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realPath(path)));
  return paths.filter((path, index) => path === real[index]);
}

/** An existing file in the home folder opens only the file; a new one opens its folder. */
async function openedBy(verdict: Verdict): Promise<string[]> {
  const folders = await externalFolders(verdict, "change");
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
