import {
  FileProblem,
  type LocatedPath,
  type TextFile,
  type Workspace,
} from "../workspace/workspace.ts";
import {
  countLines,
  describeChanges,
  diffContent,
  firstChangedLine,
  lineChanges,
  type LineChange,
  type LineCounts,
} from "./file-diff.ts";
import { formatFile, lintFile, type FilePrograms } from "./formatters-and-linters.ts";
import { editRequests, type TargetPath } from "./target-path.ts";
import { recordWrite } from "./seen-file.ts";
import { ToolFailure, type ToolContent, type ToolContext, type ToolResult } from "./tool.ts";

/** A change of a file. Null: no file. */
export interface FileEdit {
  target: TargetPath;
  /** The content before the change. */
  before: TextFile | null;
  after: string | null;
  /** Adds a byte-order mark. */
  bom?: boolean;
  /** The old path of a moved file. */
  from?: { target: TargetPath; before: TextFile };
}

interface DoneEdit extends FileEdit {
  /** The final text, after formatting. */
  final: string | null;
  notes: string[];
}

/**
 * Changes files: shows the diff, asks, checks that the files are unchanged, writes all or none, formats,
 * records changes for undo, and lints. The caller holds the locks.
 */
export async function changeFiles(
  edits: readonly FileEdit[],
  options: { title: string; programs: FilePrograms; describe: boolean },
  context: ToolContext,
): Promise<ToolResult> {
  const content = (await Promise.all(edits.map((edit) => shown(edit, edit.after)))).flat();
  const view = { title: options.title, content, locations: locationsOf(edits) };
  await context.ask(...editRequests(edits.flatMap(targetPathsOf), view));
  for (const edit of edits) await requireUnchanged(edit, context);
  context.signal.throwIfAborted();
  await writeAll(edits, context);
  const done = await finishAll(edits, options.programs, context);
  const reports = await Promise.all(done.map((edit) => report(edit, options.describe)));
  for (const [index, edit] of done.entries()) {
    if (reports[index]?.isComplete === true) keepFinal(edit, context);
  }
  return {
    output: reports.map((each) => each.text).join("\n\n"),
    content: (await Promise.all(done.map((edit) => shown(edit, edit.final)))).flat(),
    locations: locationsOf(done),
    metadata: { files: reports.map((each) => each.metadata) },
  };
}

function targetPathsOf(edit: FileEdit): TargetPath[] {
  return edit.from ? [edit.from.target, edit.target] : [edit.target];
}

/** The text before the change; for a moved file, the text at its old path. */
function textBefore(edit: FileEdit): string | null {
  return (edit.from?.before ?? edit.before)?.text ?? null;
}

function shown(edit: FileEdit, after: string | null): Promise<ToolContent[]> {
  return diffContent(edit.target.path, textBefore(edit), after);
}

function locationsOf(edits: readonly (FileEdit & { final?: string | null })[]) {
  return edits.map((edit) => {
    const after = edit.final ?? edit.after;
    const { path } = edit.target;
    return after === null
      ? { path }
      : { path, line: firstChangedLine(textBefore(edit) ?? "", after) };
  });
}

/** The file may have changed while the user looked at the diff. */
async function requireUnchanged(edit: FileEdit, context: ToolContext): Promise<void> {
  await requireText(edit.target, edit.before, context);
  if (edit.from) await requireText(edit.from.target, edit.from.before, context);
}

async function requireText(
  target: TargetPath,
  before: TextFile | null,
  { workspace, signal }: ToolContext,
): Promise<void> {
  const now = await readIfThere(target, workspace, signal);
  if ((now?.text ?? null) === (before?.text ?? null)) return;
  throw new ToolFailure(
    "file-changed",
    `${target.name} was changed by somebody else in the meantime, so nothing was written. Read it again, and repeat the edit.`,
  );
}

/** Null when the file does not exist. Throws FileProblem for anything that is not text. */
export async function readIfThere(
  file: LocatedPath,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<TextFile | null> {
  try {
    return await workspace.readText(file, signal);
  } catch (error) {
    if (error instanceof FileProblem && error.reason === "file-not-found") return null;
    throw error;
  }
}

/** A write, with what is needed to revert it. */
interface Writing {
  target: TargetPath;
  before: TextFile | null;
  after: string | null;
  bom: boolean;
}

function writingsOf(edit: FileEdit): Writing[] {
  const { target, before, after, from } = edit;
  const bom = edit.bom ?? (from?.before ?? before)?.bom ?? false;
  const own = { target, before, after, bom };
  if (!from) return [own];
  return [own, { target: from.target, before: from.before, after: null, bom }];
}

async function writeAll(edits: readonly FileEdit[], context: ToolContext): Promise<void> {
  const done: Writing[] = [];
  try {
    for (const writing of edits.flatMap(writingsOf)) {
      await put(writing, writing.after, context.workspace);
      done.push(writing);
    }
  } catch (error) {
    await revert(done, context);
    throw error;
  }
}

/** A write that cannot be reverted is recorded as a change, so that undo can. */
async function revert(done: readonly Writing[], context: ToolContext): Promise<void> {
  for (const writing of done.toReversed()) {
    try {
      await put(writing, writing.before?.text ?? null, context.workspace);
    } catch {
      recordChange(writing, writing.after, context);
    }
  }
}

async function put(writing: Writing, text: string | null, workspace: Workspace): Promise<void> {
  if (text === null) await workspace.remove(writing.target);
  else await workspace.writeText(writing.target, text, { bom: writing.bom });
}

function recordChange(writing: Writing, after: string | null, context: ToolContext): void {
  const { promptId, callId } = context;
  const { path, real, entry } = writing.target;
  const before = writing.before?.text ?? null;
  const changed = after === null ? entry : real;
  const place = { path, ...(changed !== path && { real: changed }) };
  context.append({ kind: "file-changed", promptId, callId, ...place, before, after });
}

/** All changes are recorded before a linter runs, so that none is lost. */
async function finishAll(
  edits: readonly FileEdit[],
  programs: FilePrograms,
  context: ToolContext,
): Promise<DoneEdit[]> {
  const done: DoneEdit[] = [];
  for (const edit of edits) {
    const [own, ...others] = writingsOf(edit);
    const { final, notes } = await finish(edit, own?.bom ?? false, programs, context);
    if (own) recordChange(own, final, context);
    for (const other of others) recordChange(other, other.after, context);
    done.push({ ...edit, final, notes });
  }
  for (const { target, final, notes } of done) {
    if (final !== null) notes.push(...(await lintFile(target, final, programs, context)));
  }
  return done;
}

async function finish(
  edit: FileEdit,
  bom: boolean,
  programs: FilePrograms,
  context: ToolContext,
): Promise<{ final: string | null; notes: string[] }> {
  const { target, after } = edit;
  if (after === null) return { final: null, notes: [] };
  const { text, notes } = await formatFile(target, { text: after, bom }, programs, context);
  return { final: await finalTextOf(edit, text, context), notes };
}

/** An editor may format the text that it gets. A stale response with the old text is ignored. */
async function finalTextOf(
  edit: FileEdit,
  text: string,
  { workspace }: ToolContext,
): Promise<string> {
  const held = await workspace.readText(edit.target).catch(() => null);
  return held === null || held.text === edit.before?.text ? text : held.text;
}

/** Records what the model now knows: the whole file if it knew all of it before. */
function keepFinal({ target, before, from, final }: DoneEdit, context: ToolContext): void {
  if (final === null) return;
  const source = from ?? { target, before };
  const isNew = (source.before?.text ?? "") === "";
  const isWhole = isNew || context.knownFile(source.target.real)?.isWhole === true;
  recordWrite(target, final, isWhole, context);
}

interface Report {
  text: string;
  /** True when the report contains everything that changed. */
  isComplete: boolean;
  metadata: { path: string; change: string } & LineCounts;
}

async function report(edit: DoneEdit, describe: boolean): Promise<Report> {
  const before = textBefore(edit);
  const changes = await lineChanges(before ?? "", edit.final ?? "");
  const counts = countLines(changes);
  const { change, words } = summaryOf(edit, counts);
  const parts = [words];
  const description = await descriptionOf(edit, changes, describe);
  if (description) parts.push(description.text);
  parts.push(...edit.notes);
  if (description?.isCut === true)
    parts.push(`Read ${edit.target.name} before you change it again.`);
  return {
    text: parts.join("\n\n"),
    isComplete: description?.isCut !== true,
    metadata: { path: edit.target.path, change, ...counts },
  };
}

/** The diff, if the result differs from what the model wrote; null otherwise. */
async function descriptionOf(
  edit: DoneEdit,
  changes: readonly LineChange[],
  describe: boolean,
): Promise<{ text: string; isCut: boolean } | null> {
  const { after, final } = edit;
  const isFormatted = final !== after;
  if (after === null || final === null || !(describe || isFormatted)) return null;
  const isNew = textBefore(edit) === null;
  if (isNew && !isFormatted) return null;
  const { text, isCut } = describeChanges(isNew ? await lineChanges(after, final) : changes);
  const what = isNew
    ? "Formatting changed what you wrote"
    : isFormatted
      ? "With what formatting changed, the change is"
      : "The change is";
  return { text: `${what}:\n${text}`, isCut };
}

function summaryOf(edit: FileEdit, counts: LineCounts): { change: string; words: string } {
  const { name } = edit.target;
  const lines = `lines: +${counts.additions} −${counts.deletions}`;
  if (edit.after === null) return { change: "deleted", words: `Deleted ${name}.` };
  if (edit.from) {
    return { change: "moved", words: `Moved ${edit.from.target.name} to ${name} (${lines}).` };
  }
  if (edit.before === null) {
    return { change: "created", words: `Created ${name} (lines: ${counts.additions}).` };
  }
  return { change: "edited", words: `Edited ${name} (${lines}).` };
}
