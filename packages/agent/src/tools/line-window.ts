import { toolLimits } from "../limits.ts";
import { linesOf } from "../workspace/file-text.ts";

export interface LineWindow {
  /** Lines with their numbers. */
  text: string;
  /** 1-based. `last` is less than `first` when there are no lines. */
  first: number;
  last: number;
  /** Number of lines of the text. */
  total: number;
}

export interface WindowOptions {
  first: number;
  limit: number;
  /** Maximum size, including line numbers. */
  bytes: number;
}

/** As many lines as fit. */
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

/** Truncates with a note, without splitting a character. */
export function cutLine(line: string, characters: number = toolLimits.lineCharacters): string {
  if (line.length <= characters) return line;
  const cut = line.slice(0, characters).replace(/[\uD800-\uDBFF]$/u, "");
  return `${cut}… (${line.length - cut.length} more characters)`;
}
