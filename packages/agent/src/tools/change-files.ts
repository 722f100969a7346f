import { FileProblem, type TextFile, type Workspace } from "../workspace/workspace.ts";
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
import { editRequests, type Place } from "./target-path.ts";
import { keepWritten } from "./seen-file.ts";
import { ToolFailure, type ToolContent, type ToolContext, type ToolResult } from "./tool.ts";

/** A file, and what becomes of it. Null: there is none. */
export interface FileEdit {
  place: Place;
  /** As it was read a moment ago. */
  before: TextFile | null;
  after: string | null;
  /** A byte-order mark for a file that had none. */
  bom?: boolean;
  /** The file that goes away because it gets this name. */
  from?: { place: Place; before: TextFile };
}

interface DoneEdit extends FileEdit {
  /** As it stands in the end, formatted. */
  final: string | null;
  notes: string[];
}

/**
 * Changes files: shows what will change, asks, looks whether the files are still as they were shown, writes
 * all of them or none, formats, keeps what undo needs, and lints. The caller holds the files.
 */
export async function changeFiles(
  edits: readonly FileEdit[],
  options: { title: string; programs: FilePrograms; describe: boolean },
  context: ToolContext,
): Promise<ToolResult> {
  const content = (await Promise.all(edits.map((edit) => shown(edit, edit.after)))).flat();
  const view = { title: options.title, content, locations: locationsOf(edits) };
  await context.ask(...editRequests(edits.flatMap(placesOf), view));
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

function placesOf(edit: FileEdit): Place[] {
  return edit.from ? [edit.from.place, edit.place] : [edit.place];
}

/** The text that a file had under whatever name. */
function textBefore(edit: FileEdit): string | null {
  return (edit.from?.before ?? edit.before)?.text ?? null;
}

function shown(edit: FileEdit, after: string | null): Promise<ToolContent[]> {
  return diffContent(edit.place.path, textBefore(edit), after);
}

function locationsOf(edits: readonly (FileEdit & { final?: string | null })[]) {
  return edits.map((edit) => {
    const after = edit.final ?? edit.after;
    const { path } = edit.place;
    return after === null
      ? { path }
      : { path, line: firstChangedLine(textBefore(edit) ?? "", after) };
  });
}

/** Somebody may have typed while the person looked at the diff. */
async function requireUnchanged(edit: FileEdit, context: ToolContext): Promise<void> {
  await requireText(edit.place, edit.before, context);
  if (edit.from) await requireText(edit.from.place, edit.from.before, context);
}

async function requireText(
  place: Place,
  before: TextFile | null,
  { workspace, signal }: ToolContext,
): Promise<void> {
  const now = await readIfThere(place.path, workspace, signal);
  if ((now?.text ?? null) === (before?.text ?? null)) return;
  throw new ToolFailure(
    "file-changed",
    `${place.name} was changed by somebody else in the meantime, so nothing was written. Read it again, and make the edit anew.`,
  );
}

/** Null when there is no file. Throws FileProblem for everything else that is no text. */
export async function readIfThere(
  path: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<TextFile | null> {
  try {
    return await workspace.readText(path, signal);
  } catch (error) {
    if (error instanceof FileProblem && error.reason === "file-not-found") return null;
    throw error;
  }
}

/** One step of writing, and how it is taken back. */
interface Writing {
  path: string;
  before: TextFile | null;
  after: string | null;
  bom: boolean;
}

function writingsOf(edit: FileEdit): Writing[] {
  const { place, before, after, from } = edit;
  const bom = edit.bom ?? (from?.before ?? before)?.bom ?? false;
  const own = { path: place.path, before, after, bom };
  if (!from) return [own];
  return [own, { path: from.place.path, before: from.before, after: null, bom }];
}

async function writeAll(edits: readonly FileEdit[], context: ToolContext): Promise<void> {
  const done: Writing[] = [];
  try {
    for (const writing of edits.flatMap(writingsOf)) {
      await put(writing, writing.after, context.workspace);
      done.push(writing);
    }
  } catch (error) {
    await takeBack(done, context);
    throw error;
  }
}

/** What can't be taken back is kept as a change, so that an undo can. */
async function takeBack(done: readonly Writing[], context: ToolContext): Promise<void> {
  for (const writing of done.toReversed()) {
    try {
      await put(writing, writing.before?.text ?? null, context.workspace);
    } catch {
      keep(writing, writing.after, context);
    }
  }
}

async function put(writing: Writing, text: string | null, workspace: Workspace): Promise<void> {
  if (text === null) await workspace.remove(writing.path);
  else await workspace.writeText(writing.path, text, { bom: writing.bom });
}

function keep(writing: Writing, after: string | null, context: ToolContext): void {
  const { promptId, callId } = context;
  const { path } = writing;
  const before = writing.before?.text ?? null;
  context.keep({ kind: "file-changed", promptId, callId, path, before, after });
}

/** Every file is kept before any is linted: nothing that a linter does may lose a change. */
async function finishAll(
  edits: readonly FileEdit[],
  programs: FilePrograms,
  context: ToolContext,
): Promise<DoneEdit[]> {
  const done: DoneEdit[] = [];
  for (const edit of edits) {
    const [own, ...others] = writingsOf(edit);
    const { final, notes } = await finish(edit, own?.bom ?? false, programs, context);
    if (own) keep(own, final, context);
    for (const other of others) keep(other, other.after, context);
    done.push({ ...edit, final, notes });
  }
  for (const { place, final, notes } of done) {
    if (final !== null) notes.push(...(await lintFile(place.path, final, programs, context)));
  }
  return done;
}

async function finish(
  edit: FileEdit,
  bom: boolean,
  programs: FilePrograms,
  context: ToolContext,
): Promise<{ final: string | null; notes: string[] }> {
  const { place, after } = edit;
  if (after === null) return { final: null, notes: [] };
  const { text, notes } = await formatFile(place.path, { text: after, bom }, programs, context);
  return { final: await heldText(edit, text, context), notes };
}

/** An editor may format what it is given; a stale answer with the text of before is none. */
async function heldText(edit: FileEdit, text: string, { workspace }: ToolContext): Promise<string> {
  const held = await workspace.readText(edit.place.path).catch(() => null);
  return held === null || held.text === edit.before?.text ? text : held.text;
}

/** The model knows what it wrote, and all of the file when it knew all of it before. */
function keepFinal({ place, before, from, final }: DoneEdit, context: ToolContext): void {
  if (final === null) return;
  const source = from ?? { place, before };
  const isNew = (source.before?.text ?? "") === "";
  const isWhole = isNew || context.knownFile(source.place.real)?.isWhole === true;
  keepWritten(place, final, isWhole, context);
}

interface Report {
  text: string;
  /** The model can tell from it what the file's text is now. */
  isComplete: boolean;
  metadata: { path: string; change: string } & LineCounts;
}

async function report(edit: DoneEdit, describe: boolean): Promise<Report> {
  const before = textBefore(edit);
  const changes = await lineChanges(before ?? "", edit.final ?? "");
  const counts = countLines(changes);
  const { change, words } = wordsFor(edit, counts);
  const parts = [words];
  const description = await descriptionOf(edit, changes, describe);
  if (description) parts.push(description.text);
  parts.push(...edit.notes);
  if (description?.isCut === true)
    parts.push(`Read ${edit.place.name} before you change it again.`);
  return {
    text: parts.join("\n\n"),
    isComplete: description?.isCut !== true,
    metadata: { path: edit.place.path, change, ...counts },
  };
}

/** What became of the file, where it is not exactly what the model wrote; null otherwise. */
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

function wordsFor(edit: FileEdit, counts: LineCounts): { change: string; words: string } {
  const { name } = edit.place;
  const lines = `lines: +${counts.additions} −${counts.deletions}`;
  if (edit.after === null) return { change: "deleted", words: `Deleted ${name}.` };
  if (edit.from) {
    return { change: "moved", words: `Moved ${edit.from.place.name} to ${name} (${lines}).` };
  }
  if (edit.before === null) {
    return { change: "created", words: `Created ${name} (lines: ${counts.additions}).` };
  }
  return { change: "edited", words: `Edited ${name} (${lines}).` };
}
