import { basename, dirname, join } from "node:path";
import type { Workspace } from "../workspace/workspace.ts";
import type { Place } from "./target-path.ts";
import { likeness } from "./text-lines.ts";
import { ToolFailure, type ToolContext } from "./tool.ts";

/** Names that are suggested for a file that is not there. */
const suggestionsMax = 5;

/** The failure for a file that is not there, with the names that may have been meant. */
export async function noFile(place: Place, context: ToolContext): Promise<ToolFailure> {
  const { workspace, signal } = context;
  const near = await nearNames(place, workspace, signal);
  const names = near.map((path) => workspace.display(path));
  const words =
    names.length === 0 ? "Find it with glob or list." : `Did you mean ${names.join(" or ")}?`;
  return new ToolFailure("file-not-found", `There is no file ${place.name}. ${words}`, {
    suggestions: near,
  });
}

async function nearNames(
  place: Place,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  // Names outside of the project are not for a model to learn by guessing.
  if (!(await workspace.contains(place.path))) return [];
  const beside = await besideIt(place.path, workspace);
  const elsewhere = await sameNameElsewhere(place.path, workspace, signal);
  return [...new Set([...beside, ...elsewhere])].slice(0, suggestionsMax);
}

const likenessLeast = 0.6;

async function besideIt(path: string, workspace: Workspace): Promise<string[]> {
  const folder = dirname(path);
  const entries = await workspace.list(folder).catch(() => []);
  const wanted = basename(path).toLowerCase();
  return entries
    .map(({ name }) => ({ name, score: score(wanted, name.toLowerCase()) }))
    .filter((entry) => entry.score >= likenessLeast)
    .sort((one, other) => other.score - one.score)
    .map((entry) => join(folder, entry.name));
}

function score(wanted: string, name: string): number {
  if (stemOf(wanted) !== "" && stemOf(wanted) === stemOf(name)) return 1;
  return likeness(wanted, name);
}

/** A name without its extension. */
function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/u, "");
}

async function sameNameElsewhere(
  path: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  const pattern = basename(path).replaceAll(/[\\*?[\]{}]/gu, String.raw`\$&`);
  try {
    const limit = suggestionsMax;
    return (await workspace.findFiles({ pattern, limit, signal })).paths;
  } catch {
    // A hint is not worth a failure of its own.
    return [];
  }
}
