import { dirname, join, relative } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import {
  EXTERNAL_DIRECTORY,
  patternOf,
  type Access,
  type PermissionRequest,
} from "../permission/rule.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { folderPattern, outsideRequest } from "./external-directories.ts";
import type { ToolContext, ToolView } from "./tool.ts";

/** A path that a model named, and the names by which rules know it. */
export interface Place {
  /** Absolute. */
  path: string;
  /** For people. */
  name: string;
  /** Its name and, where links lead elsewhere, that of what it really is: a rule for either counts. */
  patterns: string[];
  /** Links followed. */
  real: string;
  /** Whether `real` is outside of the session's folders. */
  isOutside: boolean;
}

export async function placeOf(given: string, workspace: Workspace): Promise<Place> {
  const path = workspace.resolve(given);
  const name = workspace.display(path);
  const real = await realPath(path);
  const patterns = new Set([name, await nameOfReal(real, workspace)]);
  const isOutside = !(await workspace.contains(path));
  return { path, name, patterns: [...patterns], real, isOutside };
}

/** A root may itself be reached by a link: what is in it keeps the name that it has from there. */
export async function nameOfReal(real: string, workspace: Workspace): Promise<string> {
  for (const root of workspace.roots) {
    const realRoot = await realPath(root);
    if (isWithin(realRoot, real)) return workspace.display(join(root, relative(realRoot, real)));
  }
  return workspace.display(real);
}

/** What is shown of a call about one file before it runs. */
export function fileView(
  verb: string,
  filePath: string | undefined,
  workspace: Workspace,
): Pick<ToolView, "title" | "locations" | "content"> {
  if (filePath === undefined) return { title: `${verb} a file`, locations: [], content: [] };
  const path = workspace.resolve(filePath);
  return { title: `${verb} ${workspace.display(path)}`, locations: [{ path }], content: [] };
}

export function readRequest({ patterns, path, real }: Place): PermissionRequest {
  return { permission: "read", patterns, paths: [path, real], always: patterns };
}

/** In a sentence. */
export function folderName(place: Place): string {
  return place.name === "." ? "the working directory" : place.name;
}

/**
 * To be asked before anything outside of the session's folders is touched; empty for what is inside. The folder that is
 * named is the one that links lead to.
 */
export function outsideAt(
  place: Place,
  { isFolder, title, access }: { isFolder: boolean; title: string; access: Access },
): PermissionRequest[] {
  if (!place.isOutside) return [];
  const folders = [isFolder ? place.real : dirname(place.real)];
  const because = [`${place.name} is outside the project`];
  const request = outsideRequest(title, { folders, access, because });
  const locations = [{ path: place.path }];
  return [{ ...request, view: { ...request.view, locations } }];
}

/** One request for the files inside of the project, and one for those outside: "always" means different things there. */
export function editRequests(
  places: readonly Place[],
  view: Partial<ToolView>,
): PermissionRequest[] {
  const inside = places.filter((place) => !place.isOutside);
  const outside = places.filter((place) => place.isOutside);
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
  places: readonly Place[],
): Pick<PermissionRequest, "permission" | "patterns" | "paths"> {
  const wanted = places.flatMap((place) =>
    place.patterns.map((pattern) =>
      place.isOutside ? { pattern, outside: outsideFolder(place) } : pattern,
    ),
  );
  return {
    permission: "edit",
    patterns: [...new Map(wanted.map((each) => [patternOf(each), each])).values()],
    paths: [...new Set(places.flatMap(({ path, real }) => [path, real]))],
  };
}

function outsideFolder({ real }: Place): string {
  return folderPattern(dirname(real));
}

/** True for what is kept of long outputs of this session: the model was told to read it there. */
export async function isOutput(place: Place, outputs: string): Promise<boolean> {
  return isWithin(await realPath(outputs), place.real);
}

/** Holds several files at once, each once whatever its names, always in the same order. */
export function withPlaces<Value>(
  places: readonly Place[],
  context: ToolContext,
  work: () => Promise<Value>,
): Promise<Value> {
  const files = [...new Set(places.map((place) => place.real))].sort();
  const hold = (index: number): Promise<Value> => {
    const file = files[index];
    return file === undefined ? work() : context.withFile(file, () => hold(index + 1));
  };
  return hold(0);
}
