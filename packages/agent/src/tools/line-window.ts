import { toolLimits } from "../limits.ts";
import { linesOf } from "../workspace/file-text.ts";

export interface LineWindow {
  /** Each line with its number. */
  text: string;
  /** The first line and the last, counted from 1; the last is before the first when there is none. */
  first: number;
  last: number;
  /** Lines of the whole text. */
  total: number;
}

export interface WindowOptions {
  first: number;
  limit: number;
  /** What it may come to, numbers included. */
  bytes: number;
}

/** Some lines of a text, as many as there is room for. */
export function lineWindow(text: string, { first, limit, bytes }: WindowOptions): LineWindow {
  const lines = linesOf(text);
  const shown: string[] = [];
  let room = bytes;
  for (const line of lines.slice(first - 1, first - 1 + limit)) {
    const numbered = `${first + shown.length}\t${cutLine(line.replace(/\r$/u, ""))}`;
    room -= Buffer.byteLength(numbered) + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  return { text: shown.join("\n"), first, last: first + shown.length - 1, total: lines.length };
}

/** Cut at a limit with a note, and not in the middle of a character. */
export function cutLine(line: string, characters: number = toolLimits.lineCharacters): string {
  if (line.length <= characters) return line;
  const cut = line.slice(0, characters).replace(/[\uD800-\uDBFF]$/u, "");
  return `${cut}… (${line.length - cut.length} more characters)`;
}
