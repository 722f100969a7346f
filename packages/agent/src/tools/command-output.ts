import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolLimits } from "../limits.ts";

/** The share of the limit for the start of the output. The end is more informative. */
const beginning = 0.25;
/** Leaves space for notes on what was omitted and how the command ended. */
const room = 0.9;

/**
 * Removes the middle of a long output, so that its start and end can be read. The complete text is stored in
 * a file, which the note names.
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

/** As many lines as fit; the first is cut if it is too long. */
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

/** Does not split characters. */
function cutLine(line: string, start: number, end?: number): string {
  const cut = Buffer.from(line).subarray(start, end).toString("utf8");
  return cut.replace(/^\uFFFD+|\uFFFD$/gu, "");
}
