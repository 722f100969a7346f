import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolLimits } from "../limits.ts";

/** Of what a model reads at once, this part is the beginning; the end of a command's output tells more. */
const beginning = 0.25;
/** Room for the words about what was left out, and about how the command ended. */
const room = 0.9;

/**
 * Cuts the middle out of what a command wrote, so that its beginning and its end can be read. The whole text
 * is kept in the session's own folder, and the model is told how to read it.
 */
export async function cutCommandOutput(
  output: string,
  callId: string,
  folder: string,
): Promise<{ text: string; isCut: boolean }> {
  const lines = output.split("\n");
  if (lines.length <= toolLimits.outputLines * room && isShort(output, room)) {
    return { text: output, isCut: false };
  }
  const head = headOf(lines);
  const tail = tailOf(lines.slice(head.length));
  const left = lines.length - head.length - tail.length;
  const path = join(folder, `${callId.replaceAll(/[^\w-]/gu, "_")}.txt`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, output, { mode: 0o600 });
  const note = `(${left} of ${lines.length} lines are left out here. All of it is in ${path}: search it with grep, or read parts of it with read and offset.)`;
  return { text: [...head, "", note, "", ...tail].join("\n"), isCut: true };
}

function isShort(text: string, part: number): boolean {
  return Buffer.byteLength(text) <= toolLimits.outputBytes * part;
}

function headOf(lines: readonly string[]): string[] {
  return fitting(lines, beginning, (line, bytes) => cutLine(line, 0, bytes));
}

function tailOf(lines: readonly string[]): string[] {
  const part = room - beginning;
  return fitting(lines.toReversed(), part, (line, bytes) => cutLine(line, -bytes)).toReversed();
}

/** As many lines as fit. When already the first is too long, it is cut. */
function fitting(
  lines: readonly string[],
  part: number,
  cut: (line: string, bytes: number) => string,
): string[] {
  const bytesMax = Math.floor(toolLimits.outputBytes * part);
  const fit: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, Math.floor(toolLimits.outputLines * part))) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > bytesMax) return fit.length === 0 ? [cut(line, bytesMax)] : fit;
    fit.push(line);
  }
  return fit;
}

/** No character is torn apart. */
function cutLine(line: string, start: number, end?: number): string {
  const cut = Buffer.from(line).subarray(start, end).toString("utf8");
  return cut.replace(/^\uFFFD+|\uFFFD$/gu, "");
}
