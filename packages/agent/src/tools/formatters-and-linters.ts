import { errorMessage } from "@landline/system/error-message";
import { singleQuoted } from "@landline/system/shell-words";
import type { FileProgram } from "../config/config.ts";
import { fileLimits } from "../limits.ts";
import { textOfBytes } from "../workspace/file-text.ts";
import type { LocatedPath, Workspace } from "../workspace/workspace.ts";
import type { ToolContext } from "./tool.ts";

/** Timeout of one program on one file. */
const programMs = 30_000;
/** Maximum characters of a program's output. The rest is omitted, with a note. */
const programCharacters = 4_000;

export interface FilePrograms {
  formatters: readonly FileProgram[];
  linters: readonly FileProgram[];
}

/**
 * Runs the formatters for a file that was just written, and returns its text afterwards. Never throws: a
 * failed formatter does not undo the change.
 */
export async function formatFile(
  file: LocatedPath,
  written: { text: string; bom: boolean },
  { formatters }: FilePrograms,
  context: ToolContext,
): Promise<{ text: string; notes: string[] }> {
  const { workspace } = context;
  const notes: string[] = [];
  const wanted = programsFor(file.path, formatters);
  if (wanted.length === 0) return { text: written.text, notes };
  if ((await textOnDisk(file, workspace)) !== written.text) {
    const names = wanted.map((program) => program.name).join(", ");
    return { text: written.text, notes: [`${names} did not run: ${notSaved}`] };
  }
  for (const program of wanted) {
    const said = await runOn(file.path, program, context);
    if (said !== null) notes.push(`The formatter ${program.name} ${said}`);
  }
  const text = (await textOnDisk(file, workspace)) ?? written.text;
  if (text === written.text) return { text, notes };
  const untold = await updateClient(file, { text, bom: written.bom }, workspace);
  if (untold !== null) return { text, notes: [...notes, untold] };
  const names = wanted.map((program) => program.name).join(", ");
  return { text, notes: [...notes, `${names} changed the file further.`] };
}

const notSaved = "the new text is in the editor, and not saved.";

/** A client with the old text would overwrite the formatted file. */
async function updateClient(
  file: LocatedPath,
  { text, bom }: { text: string; bom: boolean },
  workspace: Workspace,
): Promise<string | null> {
  try {
    const held = await workspace.readText(file);
    if (held.via === "client" && held.text !== text) await workspace.writeText(file, text, { bom });
    return null;
  } catch (error) {
    return `The file was formatted on disk, but the editor was not told: ${errorMessage(error)}`;
  }
}

/** Reports of linters that exit with an error. Never throws. */
export async function lintFile(
  file: LocatedPath,
  text: string,
  { linters }: FilePrograms,
  context: ToolContext,
): Promise<string[]> {
  const wanted = programsFor(file.path, linters);
  if (wanted.length === 0) return [];
  if ((await textOnDisk(file, context.workspace)) !== text) {
    const names = wanted.map((program) => program.name).join(", ");
    return [`${names} did not run: ${notSaved}`];
  }
  const notes: string[] = [];
  for (const program of wanted) {
    const said = await runOn(file.path, program, context);
    if (said !== null) notes.push(`The linter ${program.name} ${said}`);
  }
  return notes;
}

/** A program without extensions applies to every file. */
function programsFor(path: string, programs: readonly FileProgram[]): FileProgram[] {
  return programs.filter(
    ({ extensions }) =>
      extensions.length === 0 || extensions.some((extension) => path.endsWith(extension)),
  );
}

async function textOnDisk(file: LocatedPath, workspace: Workspace): Promise<string | null> {
  try {
    const bytes = await workspace.readBytes(file, fileLimits.textBytes);
    return textOfBytes(bytes, file.path).text;
  } catch {
    return null;
  }
}

/** What went wrong, as the end of a sentence; null on success. */
async function runOn(
  path: string,
  program: FileProgram,
  { workspace, signal }: ToolContext,
): Promise<string | null> {
  const late = AbortSignal.timeout(programMs);
  try {
    const command = await workspace.start({
      line: program.command.map((word) => quoted(word.replaceAll("$FILE", path))).join(" "),
      cwd: workspace.cwd,
      env: program.env,
      signal: AbortSignal.any([signal, late]),
    });
    try {
      const { exitCode, output } = await command.ended;
      if (late.aborted) {
        return `took longer than ${programMs / 1_000} seconds and was ended.`;
      }
      if (signal.aborted) return "was stopped.";
      return exitCode === 0 ? null : `ended with ${exitCode ?? "a signal"}:\n${shortened(output)}`;
    } finally {
      await command.release();
    }
  } catch (error) {
    if (signal.aborted) return "was stopped.";
    return `could not run: ${errorMessage(error)}`;
  }
}

function shortened(output: string): string {
  const text = output.trim();
  if (text.length <= programCharacters) return text;
  return `${text.slice(0, programCharacters)}\n(The rest is left out.)`;
}

/** Quotes a word for the shell. */
function quoted(word: string): string {
  if (process.platform === "win32") return `"${word.replaceAll('"', '""')}"`;
  return singleQuoted(word);
}
