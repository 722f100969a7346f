import type { FilesRestored, SessionRecord } from "../core/record.ts";
import type { FileLocks } from "../workspace/file-locks.ts";
import { join, relative } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import { FileProblem, type LocatedPath, type Workspace } from "../workspace/workspace.ts";
import { type Direction, type FileStep, planRestore } from "./plan-undo.ts";

export interface RestoreOptions {
  direction: Direction;
  records: readonly SessionRecord[];
  descendants?: readonly (readonly SessionRecord[])[];
  workspace: Pick<Workspace, "roots" | "locate" | "readText" | "writeText" | "remove" | "display">;
  locks: FileLocks;
}

export interface Restored {
  /** To be appended; null when nothing was done. */
  record: Omit<FilesRestored, "at"> | null;
  /** The result, for the user. */
  words: string;
}

/**
 * Performs an undo or redo completely or not at all. A file that somebody changed since stops it. A failed
 * write reverts the earlier ones.
 */
export async function restoreLast(options: RestoreOptions): Promise<Restored> {
  const { direction, records, descendants, workspace, locks } = options;
  const plan = planRestore(direction, records, descendants);
  if (plan === null) return { record: null, words: `There is nothing to ${direction}.` };
  const { promptId } = plan;
  const files = plan.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const paths = files.map(({ path }) => path);
  return withFiles(locks, paths, async () => {
    const found = await Promise.all(files.map((file) => lookAt(file, workspace)));
    const changed = found.filter(({ isAsExpected }) => !isAsExpected);
    if (changed.length > 0) {
      return { record: null, words: refusal(direction, changed, workspace) };
    }
    await applyAll(found, workspace);
    return {
      record: { kind: "files-restored", direction, promptId, paths },
      words: summary(direction, files, workspace),
    };
  });
}

interface Found extends FileStep {
  located: LocatedPath;
  bom: boolean;
  isAsExpected: boolean;
  /** The file already has the target text. */
  isDone: boolean;
}

async function lookAt(file: FileStep, workspace: RestoreOptions["workspace"]): Promise<Found> {
  const located = await workspace.locate(file.path);
  // A link may have been created since, and lead anywhere.
  if (located.real !== (await expectedReal(file, workspace)))
    return { ...file, located, bom: false, isDone: false, isAsExpected: false };
  try {
    const { text, bom } = await workspace.readText(located);
    const isDone = text === file.to;
    return { ...file, located, bom, isDone, isAsExpected: isDone || text === file.from };
  } catch (error) {
    // A file that is no longer text has been changed; a missing file may be as expected.
    if (!(error instanceof FileProblem)) throw error;
    const isGone = error.reason === "file-not-found";
    const isDone = isGone && file.to === null;
    const isAsExpected = isDone || (isGone && file.from === null);
    return { ...file, located, bom: false, isDone, isAsExpected };
  }
}

/** Changes that no tool recorded have no links below the session's folder: snapshots do not follow them. */
async function expectedReal(
  { path, real }: FileStep,
  { roots }: RestoreOptions["workspace"],
): Promise<string> {
  if (real !== undefined) return real;
  const root = roots.find((each) => isWithin(each, path));
  return root === undefined ? path : join(await realPath(root), relative(root, path));
}

async function applyAll(
  files: readonly Found[],
  workspace: RestoreOptions["workspace"],
): Promise<void> {
  const done: Found[] = [];
  // Remove files first: a folder may have to be created at the same path.
  const inOrder = files.toSorted(
    (one, other) => Number(one.to !== null) - Number(other.to !== null),
  );
  try {
    for (const file of inOrder) {
      if (file.isDone) continue;
      await put(file, file.to, workspace);
      done.push(file);
    }
  } catch (error) {
    for (const file of done.toReversed()) await put(file, file.from, workspace);
    throw error;
  }
}

async function put(
  file: Found,
  text: string | null,
  workspace: RestoreOptions["workspace"],
): Promise<void> {
  if (text === null) await workspace.remove(file.located);
  else await workspace.writeText(file.located, text, { bom: file.bom });
}

function refusal(
  direction: Direction,
  changed: readonly Found[],
  workspace: RestoreOptions["workspace"],
): string {
  const names = changed.map(({ path }) => `- ${workspace.display(path)}`);
  return [
    `Nothing was ${direction === "undo" ? "undone" : "redone"}, because these files were changed since:`,
    ...names,
    `Restore them first, or make the change by hand.`,
  ].join("\n");
}

function summary(
  direction: Direction,
  files: readonly FileStep[],
  workspace: RestoreOptions["workspace"],
): string {
  const done = direction === "undo" ? "The last prompt is undone" : "The prompt is back";
  if (files.length === 0) return `${done}. It had changed no files.`;
  const names = files.map(({ path, from, to }) => {
    const what = to === null ? "removed" : from === null ? "created again" : "restored";
    return `- ${workspace.display(path)} (${what})`;
  });
  return [`${done}:`, ...names].join("\n");
}

/** Locks in a fixed order, which prevents deadlocks. */
function withFiles<Value>(
  locks: FileLocks,
  paths: readonly string[],
  work: () => Promise<Value>,
): Promise<Value> {
  const [first, ...others] = paths;
  if (first === undefined) return work();
  return locks.withFile(first, () => withFiles(locks, others, work));
}
