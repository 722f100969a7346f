import { dirname } from "node:path";
import { leavingText, notesOn, type Opening, openingsFor, withOpening } from "@landline/sandbox";
import { isWithin, realPath } from "@landline/shell";
import { hostRequest, networkRequest } from "../permission/host-rules.ts";
import {
  EXTERNAL_DIRECTORY,
  EXTERNAL_HOST,
  SANDBOX_PATH,
  type OfferedOption,
  type PermissionRequest,
  type Rule,
} from "../permission/rule.ts";
import type { Confinement, RunningCommand, Workspace } from "../workspace/workspace.ts";
import { OUTSIDE } from "./bash-sandbox.ts";
import { commandFiles } from "./command-files.ts";
import { folderPattern } from "./external-directories.ts";
import type { ToolContext } from "./tool.ts";

/** One access that the sandbox denied to a command. */
export interface Denied {
  readonly opening: Opening;
  readonly request: PermissionRequest;
}

/** A command that failed in its sandbox. */
export interface Stopped extends Pick<RunningCommand, "permits"> {
  readonly output: string;
  /** Hosts that the sandbox reported. */
  readonly deniedHosts: readonly string[];
  readonly confinement: Confinement;
  /** The `Opening.what` of everything that was already opened for the command. */
  readonly opened: ReadonlySet<string>;
  readonly workdir: string;
  readonly context: ToolContext;
}

/** Everything that the sandbox denied to a command; empty when the failure has another cause. */
export async function findDenials(stopped: Stopped): Promise<Denied[]> {
  const { output, deniedHosts, permits, confinement, opened, workdir: cwd, context } = stopped;
  const { workspace } = context;
  const bounds = workspace.sandbox.bounds(workspace.roots, confinement);
  if (bounds === null) return [];
  const openings = await openingsFor({ ...bounds, output, deniedHosts, permits, opened, cwd });
  return Promise.all(
    openings.map(async (opening) => ({ opening, request: await requestFor(opening, workspace) })),
  );
}

/** The confinement with everything opened. */
export function withOpened(confinement: Confinement, denied: readonly Denied[]): Confinement {
  return denied.reduce(
    (before, { opening: { adds } }) => (adds === null ? before : withOpening(before, adds)),
    confinement,
  );
}

async function requestFor(opening: Opening, workspace: Workspace): Promise<PermissionRequest> {
  const { kind, target, named, adds, what } = opening;
  if (kind === "network")
    return target === null || adds?.network === "on" ? networkRequest(target) : hostRequest(target);
  // The target is not known, so no rule can match it.
  if (target === null || named === null)
    return { permission: "bash", patterns: [], always: [], mustAsk: ["the sandbox stopped it"] };
  const roots = await Promise.all(workspace.roots.map((root) => realPath(root)));
  const isInside = roots.some((root) => isWithin(root, target));
  const use = kind === "read" ? "read" : "write";
  const files = await commandFiles({ paths: [{ named, real: target, use }] }, workspace);
  const mustAsk = notesOn(opening);
  const [opened = target] = adds?.write ?? adds?.read ?? [];
  // Access to the file does not imply access to the folder that would be opened.
  const wanted = [
    { pattern: folderPattern(dirname(target)), access: kind, opens: target },
    ...(opened === target ? [] : [{ pattern: folderPattern(opened), access: kind, opens: opened }]),
  ];
  return {
    permission: isInside ? "bash" : EXTERNAL_DIRECTORY,
    patterns: isInside ? [`${OUTSIDE}${what}`] : wanted,
    always: [],
    files,
    ...(mustAsk.length > 0 && { mustAsk }),
  };
}

export function leaveSandboxQuestion(
  line: string,
  denied: readonly Denied[],
): { requests: PermissionRequest[]; options: OfferedOption[] } {
  const view = { title: `${line} (stopped by the sandbox)` };
  const openings = denied.map(({ opening }) => opening);
  const { text, opens, options } = leavingText(openings);
  // No client rule matches these fields, so rules for the command cannot answer this request.
  const input = { stopped_by_sandbox: openings.map(({ what }) => what), opens_in_sandbox: opens };
  const requests = denied.map(({ request }) => ({ ...request, view, input, leavesSandbox: text }));
  const rules = openings.flatMap(sessionRules);
  const offered = options.map(({ id, name, kind }) =>
    id === "open" ? { id, name, kind, rules } : { id, name, kind },
  );
  return { requests, options: offered };
}

function sessionRules({ kind, adds }: Opening): Rule[] {
  const isNetwork = kind === "network";
  const hosts = typeof adds?.network === "object" ? adds.network : [];
  const [pattern] = isNetwork ? hosts : (adds?.write ?? adds?.read ?? []);
  if (!pattern) return [];
  return isNetwork
    ? [{ permission: EXTERNAL_HOST, pattern, action: "allow" }]
    : [{ permission: SANDBOX_PATH, pattern, access: kind, action: "allow" }];
}
