import { dirname } from "node:path";
import { type Opening, openedTogether, openingsFor, withOpening } from "@landline/sandbox";
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
import { folderPattern } from "./outside-paths.ts";
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
  const { kind, target, named, adds, protection, wasOpen, what } = opening;
  if (kind === "network")
    return target === null || adds?.network === "on" ? networkRequest(target) : hostRequest(target);
  // Asked about as a whole: nobody knows which rules are about it.
  if (target === null || named === null)
    return { permission: "bash", patterns: [], always: [], mustAsk: ["the sandbox stopped it"] };
  const roots = await Promise.all(workspace.roots.map((root) => realPath(root)));
  const isInside = roots.some((root) => isWithin(root, target));
  const use = kind === "read" ? "read" : "write";
  const files = await commandFiles({ paths: [{ named, real: target, use }] }, workspace);
  const mustAsk = [
    ...(protection === null ? [] : [protection]),
    ...(wasOpen ? [`${what} was allowed in the sandbox and failed`] : []),
    ...(adds || wasOpen ? [] : [`${target} cannot be opened in the sandbox by itself`]),
  ];
  return {
    permission: isInside ? "bash" : EXTERNAL_DIRECTORY,
    patterns: isInside
      ? [`${OUTSIDE}${what}`]
      : [{ pattern: folderPattern(dirname(target)), access: kind, opens: target }],
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
  // A field that no rule of the client knows: its rules for the command do not answer for leaving the sandbox.
  const input = { stopped_by_sandbox: denied.map(({ opening }) => opening.what) };
  const requests = denied.map(({ opening, request }) => ({
    ...request,
    because: [`the sandbox kept it from ${opening.what}`],
    view,
    input,
    leavesSandbox: true as const,
  }));
  const outside = {
    id: "outside",
    name: "Run outside the sandbox once",
    kind: "allow_once",
  } as const;
  const reject = { id: "reject", name: "Reject", kind: "reject_once" } as const;
  const open = openOption(denied.map(({ opening }) => opening));
  return { requests, options: open ? [outside, open, reject] : [outside, reject] };
}

function openOption(openings: readonly Opening[]): OfferedOption | null {
  const together = openedTogether(openings);
  if (together === null) return null;
  const { what, isOnce } = together;
  if (isOnce) return { id: "open-once", name: `Allow ${what} once`, kind: "allow_once" };
  const rules = openings.flatMap((opening) => sessionRule(opening) ?? []);
  return { id: "open", name: `Allow ${what} in this session`, kind: "allow_always", rules };
}

function sessionRule({ kind, adds }: Opening): Rule | null {
  const isNetwork = kind === "network";
  const hosts = typeof adds?.network === "object" ? adds.network : [];
  const [pattern] = isNetwork ? hosts : (adds?.write ?? adds?.read ?? []);
  if (!pattern) return null;
  return isNetwork
    ? { permission: EXTERNAL_HOST, pattern, action: "allow" }
    : { permission: SANDBOX_PATH, pattern, access: kind, action: "allow" };
}
