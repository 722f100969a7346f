import type { FilesRestored, SessionRecord } from "../core/record.ts";
import type { FileLocks } from "../workspace/file-locks.ts";
import { FileProblem, type Workspace } from "../workspace/workspace.ts";
import { type Direction, type FileStep, planRestore } from "./plan-undo.ts";

export interface RestoreOptions {
  direction: Direction;
  /** All records of the session, and of its subagents' sessions. */
  records: readonly SessionRecord[];
  descendants?: readonly (readonly SessionRecord[])[];
  workspace: Pick<Workspace, "readText" | "writeText" | "remove" | "display">;
  locks: FileLocks;
}

export interface Restored {
  /** To be kept; null when nothing was done. */
  record: Omit<FilesRestored, "at"> | null;
  /** For the person: what came of it. */
  words: string;
}

/**
 * Performs an undo or redo: all of it or nothing. A file that was changed since is named and stops it,
 * because somebody's work is in it. A write that fails on the way takes those before it back.
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
  bom: boolean;
  isAsExpected: boolean;
  /** It has the text already. */
  isDone: boolean;
}

async function lookAt(file: FileStep, workspace: RestoreOptions["workspace"]): Promise<Found> {
  try {
    const { text, bom } = await workspace.readText(file.path);
    const isDone = text === file.to;
    return { ...file, bom, isDone, isAsExpected: isDone || text === file.from };
  } catch (error) {
    // What can't be read as text any more has been changed; what is gone may be as it should.
    if (!(error instanceof FileProblem)) throw error;
    const isGone = error.reason === "file-not-found";
    const isDone = isGone && file.to === null;
    const isAsExpected = isDone || (isGone && file.from === null);
    return { ...file, bom: false, isDone, isAsExpected };
  }
}

async function applyAll(
  files: readonly Found[],
  workspace: RestoreOptions["workspace"],
): Promise<void> {
  const done: Found[] = [];
  // What goes makes room first: a folder may stand where a file was.
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
  if (text === null) await workspace.remove(file.path);
  else await workspace.writeText(file.path, text, { bom: file.bom });
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
    `Put them back as they were, or change them by hand instead.`,
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
    const what = to === null ? "removed" : from === null ? "made again" : "restored";
    return `- ${workspace.display(path)} (${what})`;
  });
  return [`${done}:`, ...names].join("\n");
}

/** In the order of their names, so that two who want the same files do not wait for each other. */
function withFiles<Value>(
  locks: FileLocks,
  paths: readonly string[],
  work: () => Promise<Value>,
): Promise<Value> {
  const [first, ...others] = paths;
  if (first === undefined) return work();
  return locks.withFile(first, () => withFiles(locks, others, work));
}
