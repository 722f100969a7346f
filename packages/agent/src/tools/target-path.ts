import { dirname, join, relative } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import {
  EXTERNAL_DIRECTORY,
  patternOf,
  type Access,
  type PermissionRequest,
} from "../permission/rule.ts";
import type { LocatedPath, Workspace } from "../workspace/workspace.ts";
import { folderPattern, externalDirectoryRequest } from "./external-directories.ts";
import type { ToolContext, ToolView } from "./tool.ts";

/** A path in a tool call, with the names by which rules match it. */
export interface TargetPath extends LocatedPath {
  /** For people. */
  name: string;
  /** Its name and, behind a link, the target's name: a rule may match either. */
  patterns: string[];
}

export async function targetPathOf(given: string, workspace: Workspace): Promise<TargetPath> {
  const located = await workspace.locate(given);
  const name = workspace.display(located.path);
  const patterns = new Set([name, await nameOfReal(located.real, workspace)]);
  return { ...located, name, patterns: [...patterns] };
}

/** If a root is itself a link, files in it keep the name below that root. */
export async function nameOfReal(real: string, workspace: Workspace): Promise<string> {
  for (const root of workspace.roots) {
    const realRoot = await realPath(root);
    if (isWithin(realRoot, real)) return workspace.display(join(root, relative(realRoot, real)));
  }
  return workspace.display(real);
}

/** The view of a call on one file before it runs. */
export function fileView(
  verb: string,
  filePath: string | undefined,
  workspace: Workspace,
): Pick<ToolView, "title" | "locations" | "content"> {
  if (filePath === undefined) return { title: `${verb} a file`, locations: [], content: [] };
  const path = workspace.resolve(filePath);
  return { title: `${verb} ${workspace.display(path)}`, locations: [{ path }], content: [] };
}

export function readRequest({ patterns, path, real }: TargetPath): PermissionRequest {
  return { permission: "read", patterns, paths: [path, real], always: patterns };
}

/** For messages. */
export function folderName(target: TargetPath): string {
  return target.name === "." ? "the working directory" : target.name;
}

/**
 * The request for a path outside the session's folders; empty for a path inside. Names the link target's
 * folder.
 */
export function externalDirectoryRequests(
  target: TargetPath,
  { isFolder, title, access }: { isFolder: boolean; title: string; access: Access },
): PermissionRequest[] {
  if (!target.isOutside) return [];
  const folders = [isFolder ? target.real : dirname(target.real)];
  const because = [`${target.name} is outside the project`];
  const request = externalDirectoryRequest(title, { folders, access, because });
  const locations = [{ path: target.path }];
  return [{ ...request, view: { ...request.view, locations } }];
}

/**
 * Separate requests for files inside and outside the project, because "always" means something else for
 * each.
 */
export function editRequests(
  targets: readonly TargetPath[],
  view: Partial<ToolView>,
): PermissionRequest[] {
  const inside = targets.filter((target) => !target.isOutside);
  const outside = targets.filter((target) => target.isOutside);
  const requests: PermissionRequest[] = [];
  if (inside.length > 0) requests.push({ ...editOf(inside), always: ["*"], view });
  if (outside.length > 0) {
    const folders = outside.map(outsideFolder);
    const alwaysAs = { permission: EXTERNAL_DIRECTORY, access: "change" } as const;
    requests.push({ ...editOf(outside), always: [...new Set(folders)], alwaysAs, view });
  }
  return requests;
}

function editOf(
  targets: readonly TargetPath[],
): Pick<PermissionRequest, "permission" | "patterns" | "paths"> {
  const wanted = targets.flatMap((target) =>
    target.patterns.map((pattern) =>
      target.isOutside ? { pattern, outside: outsideFolder(target) } : pattern,
    ),
  );
  return {
    permission: "edit",
    patterns: [...new Map(wanted.map((each) => [patternOf(each), each])).values()],
    paths: [...new Set(targets.flatMap(({ path, real }) => [path, real]))],
  };
}

function outsideFolder({ real }: TargetPath): string {
  return folderPattern(dirname(real));
}

/** True for stored outputs of this session, which the model may read without asking. */
export async function isOutput(target: TargetPath, outputs: string): Promise<boolean> {
  return isWithin(await realPath(outputs), target.real);
}

/** Locks several files, each once, in a fixed order. */
export function withTargets<Value>(
  targets: readonly TargetPath[],
  context: ToolContext,
  work: () => Promise<Value>,
): Promise<Value> {
  const files = [...new Set(targets.map((target) => target.real))].sort();
  const hold = (index: number): Promise<Value> => {
    const file = files[index];
    return file === undefined ? work() : context.withFile(file, () => hold(index + 1));
  };
  return hold(0);
}
