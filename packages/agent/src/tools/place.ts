import { dirname, join, relative } from "node:path";
import { isWithin, realPath } from "../workspace/roots.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { folderPattern } from "./outside-paths.ts";
import type { ToolContext } from "./tool.ts";

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
}

export async function placeOf(given: string, workspace: Workspace): Promise<Place> {
  const path = workspace.resolve(given);
  const name = workspace.display(path);
  const real = await realPath(path);
  const patterns = new Set([name, await nameOfReal(real, workspace)]);
  return { path, name, patterns: [...patterns], real };
}

/** A root may itself be reached by a link: what is in it keeps the name that it has from there. */
async function nameOfReal(real: string, workspace: Workspace): Promise<string> {
  for (const root of workspace.roots) {
    const realRoot = await realPath(root);
    if (isWithin(realRoot, real)) return workspace.display(join(root, relative(realRoot, real)));
  }
  return workspace.display(real);
}

/** In a sentence. */
export function folderName(place: Place): string {
  return place.name === "." ? "the working directory" : place.name;
}

/**
 * Asks before anything outside of the session's folders is touched. The folder that is named is the one
 * that links lead to.
 */
export async function askOutside(
  place: Place,
  context: ToolContext,
  options: { isFolder: boolean; title: string },
): Promise<void> {
  if (await context.workspace.contains(place.path)) return;
  const folder = options.isFolder ? place.real : dirname(place.real);
  const pattern = folderPattern(folder);
  await context.ask({
    permission: "external_directory",
    patterns: [pattern],
    always: [pattern],
    view: {
      title: `${options.title} (outside of the project, in ${folder})`,
      locations: [{ path: place.path }],
    },
  });
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
