import { basename, dirname, join } from "node:path";
import type { Workspace } from "../workspace/workspace.ts";
import type { TargetPath } from "./target-path.ts";
import { likeness } from "./text-lines.ts";
import { ToolFailure, type ToolContext } from "./tool.ts";

/** Maximum suggestions. */
const suggestionsMax = 5;

/** The failure for a missing file, with similar names. */
export async function fileNotFound(target: TargetPath, context: ToolContext): Promise<ToolFailure> {
  const { workspace, signal } = context;
  const near = await similarPaths(target, workspace, signal);
  const names = near.map((path) => workspace.display(path));
  const words =
    names.length === 0 ? "Find it with glob or list." : `Did you mean ${names.join(" or ")}?`;
  return new ToolFailure("file-not-found", `There is no file ${target.name}. ${words}`, {
    suggestions: near,
  });
}

async function similarPaths(
  target: TargetPath,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  // Do not reveal names outside the project.
  if (target.isOutside) return [];
  const beside = await inSameFolder(target.path, workspace);
  const elsewhere = await sameNameElsewhere(target.path, workspace, signal);
  return [...new Set([...beside, ...elsewhere])].slice(0, suggestionsMax);
}

const likenessMin = 0.6;

async function inSameFolder(path: string, workspace: Workspace): Promise<string[]> {
  const folder = dirname(path);
  const located = await workspace.locate(folder);
  const entries = located.isOutside ? [] : await workspace.list(located).catch(() => []);
  const wanted = basename(path).toLowerCase();
  return entries
    .map(({ name }) => ({ name, score: score(wanted, name.toLowerCase()) }))
    .filter((entry) => entry.score >= likenessMin)
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
    // Suggestions are optional.
    return [];
  }
}
