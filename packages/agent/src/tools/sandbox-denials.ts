import { dirname } from "node:path";
import { leavingWords, notesOn, type Opening, openingsFor, withOpening } from "@landline/sandbox";
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
import type { Confinement, Workspace } from "../workspace/workspace.ts";
import { OUTSIDE } from "./bash-sandbox.ts";
import { commandFiles } from "./command-files.ts";
import { folderPattern } from "./external-directories.ts";
import type { ToolContext } from "./tool.ts";

/** One thing that a sandbox kept a line from. */
export interface Denied {
  readonly opening: Opening;
  readonly request: PermissionRequest;
}

/** How a line ran, and what is known of its failure. */
export interface Stopped {
  readonly output: string;
  /** What the sandbox itself knows. */
  readonly deniedHosts: readonly string[];
  readonly confinement: Confinement;
  /** What was opened for it, by `Opening.what`. */
  readonly opened: ReadonlySet<string>;
  readonly workdir: string;
  readonly context: ToolContext;
}

/** Everything that the sandbox kept a line from. Empty when it had no part in the failure. */
export async function deniedThings(stopped: Stopped): Promise<Denied[]> {
  const { output, deniedHosts, confinement, opened, workdir: cwd, context } = stopped;
  const { workspace } = context;
  const bounds = workspace.sandbox.bounds(workspace.roots, confinement);
  if (bounds === null) return [];
  const openings = await openingsFor({ ...bounds, output, deniedHosts, opened, cwd });
  return Promise.all(
    openings.map(async (opening) => ({ opening, request: await requestFor(opening, workspace) })),
  );
}

/** What the line may use when all of it is opened. */
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
  // Asked about as a whole: nobody knows which rules are about it.
  if (target === null || named === null)
    return { permission: "bash", patterns: [], always: [], mustAsk: ["the sandbox stopped it"] };
  const roots = await Promise.all(workspace.roots.map((root) => realPath(root)));
  const isInside = roots.some((root) => isWithin(root, target));
  const use = kind === "read" ? "read" : "write";
  const files = await commandFiles({ paths: [{ named, real: target, use }] }, workspace);
  const mustAsk = notesOn(opening);
  const [opened = target] = adds?.write ?? adds?.read ?? [];
  // Who may have the file may not have all of the folder that is opened for it.
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

/** One question about all of them. */
export function leavingQuestion(
  line: string,
  denied: readonly Denied[],
): { requests: PermissionRequest[]; options: OfferedOption[] } {
  const view = { title: `${line} (stopped by the sandbox)` };
  const openings = denied.map(({ opening }) => opening);
  const { text, opens, options } = leavingWords(openings);
  // Fields that no rule of the client knows: its rules for the command do not answer for leaving the sandbox.
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
