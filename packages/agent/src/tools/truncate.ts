import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "@landline/system/error-message";
import { toolLimits } from "../limits.ts";

/**
 * Truncates an output for the model. The whole text is stored in the session's folder, and a note says how to
 * read on. Never throws: a failed write is reported in the note.
 */
export async function truncateOutput(
  output: string,
  callId: string,
  folder: string,
): Promise<string> {
  const shown = cut(output);
  if (shown === output) return output;
  const lines = output.split("\n").length;
  const path = join(folder, `${callId.replaceAll(/[^\w-]/gu, "_").slice(0, 100)}.txt`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, output, { mode: 0o600 });
  } catch (error) {
    const reason = errorMessage(error);
    return `${shown}\n\n(This is the beginning of ${lines} lines. The rest could not be kept: ${reason})`;
  }
  const next = shown.split("\n").length + (shown.endsWith("\n") ? 0 : 1);
  return `${shown}\n\n(This is the beginning of ${lines} lines. All of it is in ${path}: search it with grep, or read on there with read and offset ${Math.min(next, lines)}.)`;
}

function cut(output: string): string {
  let end = 0;
  let room: number = toolLimits.outputBytes;
  for (let lines = 0; end < output.length && lines < toolLimits.outputLines; lines += 1) {
    const feed = output.indexOf("\n", end);
    const next = feed === -1 ? output.length : feed + 1;
    const line = output.slice(end, next);
    const size = Buffer.byteLength(line);
    if (size > room) {
      // A long line is cut, because little might remain without it.
      const part = line.length > toolLimits.lineCharacters ? firstBytes(line, room) : "";
      return (output.slice(0, end) + part).trimEnd();
    }
    room -= size;
    end = next;
  }
  return end === output.length ? output : output.slice(0, end).trimEnd();
}

/** Does not split characters. */
function firstBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD$/u, "");
}
