import { fileLimits, toolLimits } from "../limits.ts";
import { findMatches, type MatchKind, type Match } from "./edit-match.ts";
import { textLines } from "./text-lines.ts";
import { ToolFailure } from "./tool.ts";

/** Maximum replacements of one edit. */
const replacementsMax = 100_000;

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export interface EditedText {
  text: string;
  matchKind: MatchKind;
  replacements: number;
}

const countedMax = 100;

/**
 * Replaces text, once or everywhere, and changes nothing else: line endings are ignored for matching and
 * preserved. Throws ToolFailure that says what to do.
 */
export function editText(text: string, edit: TextEdit, name: string): EditedText {
  const wanted = withLineFeeds(edit.oldString);
  const replacement = withLineFeeds(edit.newString);
  if (wanted === replacement) {
    throw new ToolFailure(
      "invalid-input",
      "oldString and newString are the same: there is nothing to change.",
    );
  }
  const plain = withLineFeeds(text);
  const found = findMatches(plain, wanted, replacement);
  if (!found) throw notFound(plain, wanted, replacement, name);
  const matches = edit.replaceAll
    ? nonOverlapping(found.matches)
    : singleMatch(found.matches, plain, name);
  const edited = replaceIn(text, matches);
  if (edited === text) {
    throw new ToolFailure("invalid-input", `The edit would change nothing in ${name}.`);
  }
  return { text: edited, matchKind: found.matchKind, replacements: matches.length };
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function singleMatch(matches: Iterable<Match>, text: string, name: string): Match[] {
  const found: Match[] = [];
  for (const match of matches) {
    found.push(match);
    if (found.length > countedMax) break;
  }
  if (found.length <= 1) return found;
  const count = found.length > countedMax ? `more than ${countedMax}` : String(found.length);
  const lines = found.slice(0, 10).map(({ start }) => lineAt(text, start));
  throw new ToolFailure(
    "ambiguous-match",
    `oldString occurs at ${count} places in ${name} (lines ${lines.join(", ")}${found.length > 10 ? ", …" : ""}). Give more of the lines around the one you mean, or set replaceAll to change all of them.`,
    { matches: found.length },
  );
}

function nonOverlapping(matches: Iterable<Match>): Match[] {
  const apart: Match[] = [];
  for (const match of matches) {
    if (match.start < (apart.at(-1)?.end ?? 0)) continue;
    apart.push(match);
    if (apart.length > replacementsMax) {
      throw new ToolFailure(
        "invalid-input",
        `oldString occurs at more than ${replacementsMax} places. Change them with a command such as sed.`,
      );
    }
  }
  return apart;
}

/** Matches refer to the text with `\n` line endings; offsets are mapped back to the original. */
function replaceIn(text: string, matches: readonly Match[]): string {
  const original = offsetsIn(text);
  const common = commonLineEnding(text);
  const pieces: string[] = [];
  let at = 0;
  let length = text.length;
  for (const match of matches) {
    const start = original(match.start);
    const end = original(match.end);
    const replaced = text.slice(start, end);
    const replacement = match.replacement().replaceAll("\n", lineEndingIn(replaced) ?? common);
    length += replacement.length - replaced.length;
    if (length > fileLimits.textBytes) throw tooLarge();
    pieces.push(text.slice(at, start), replacement);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** Maps an offset in the text with `\n` to the original. Call it with ascending offsets. */
function offsetsIn(text: string): (offset: number) => number {
  let removed = 0;
  let next = text.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && next - removed < offset) {
      removed += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return offset + removed;
  };
}

function lineEndingIn(text: string): string | null {
  const feed = text.indexOf("\n");
  if (feed === -1) return null;
  return text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/** The most frequent line ending. */
export function commonLineEnding(text: string): "\n" | "\r\n" {
  let feeds = 0;
  let both = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    feeds += 1;
    if (text[at - 1] === "\r") both += 1;
  }
  return both * 2 > feeds ? "\r\n" : "\n";
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}

function notFound(text: string, wanted: string, replacement: string, name: string): ToolFailure {
  const words = [`oldString was not found in ${name}.`];
  const done = replacement.trim() === "" ? -1 : text.indexOf(replacement);
  if (done !== -1) {
    words.push(
      `newString is already there, at line ${lineAt(text, done)}: perhaps this edit was made before.`,
    );
  } else {
    const near = nearestLine(text, wanted);
    if (near !== null) words.push(`A line of it is at line ${near}, with other lines around it.`);
  }
  words.push("Read the file again, and copy the text from there without its line numbers.");
  return new ToolFailure("match-not-found", words.join(" "));
}

/** The number of the line that equals the longest line of the searched text. */
function nearestLine(text: string, wanted: string): number | null {
  const lines = wanted.split("\n").map((line) => line.trim());
  const longest = lines.reduce((best, line) => (line.length > best.length ? line : best), "");
  const isShort = text.length <= toolLimits.forgivenCharacters;
  if (longest === "" || lines.length === 1 || !isShort) return null;
  const at = textLines(text).findIndex((line) => line.text.trim() === longest);
  return at === -1 ? null : at + 1;
}

function tooLarge(): ToolFailure {
  return new ToolFailure(
    "file-too-large",
    `With the edit the file would have more than ${fileLimits.textBytes} characters. Make a smaller edit.`,
  );
}
