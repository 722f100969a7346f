import { fileLimits, toolLimits } from "../limits.ts";
import { findMatches, type Manner, type Match } from "./edit-match.ts";
import { textLines } from "./text-lines.ts";
import { ToolFailure } from "./tool.ts";

/** Places that one edit changes. More are refused. */
const replacementsMax = 100_000;

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export interface EditedText {
  text: string;
  manner: Manner;
  replacements: number;
}

/** Ambiguous matches are counted up to here. */
const countedMost = 100;

/**
 * Replaces one text in another, once or everywhere, and touches nothing outside of what it replaces: line
 * ends are forgiven while it looks, and kept when it writes. Throws ToolFailure that says what to do.
 */
export function editText(text: string, edit: TextEdit, name: string): EditedText {
  const wanted = withFeeds(edit.oldString);
  const replacement = withFeeds(edit.newString);
  if (wanted === replacement) {
    throw new ToolFailure(
      "invalid-input",
      "oldString and newString are the same: there is nothing to change.",
    );
  }
  const plain = withFeeds(text);
  const found = findMatches(plain, wanted, replacement);
  if (!found) throw notFound(plain, wanted, replacement, name);
  const matches = edit.replaceAll ? apartOnes(found.matches) : onlyOne(found.matches, plain, name);
  const edited = replaceIn(text, matches);
  if (edited === text) {
    throw new ToolFailure("invalid-input", `The edit would change nothing in ${name}.`);
  }
  return { text: edited, manner: found.manner, replacements: matches.length };
}

function withFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function onlyOne(matches: Iterable<Match>, text: string, name: string): Match[] {
  const found: Match[] = [];
  for (const match of matches) {
    found.push(match);
    if (found.length > countedMost) break;
  }
  if (found.length <= 1) return found;
  const count = found.length > countedMost ? `more than ${countedMost}` : String(found.length);
  const lines = found.slice(0, 10).map(({ start }) => lineAt(text, start));
  throw new ToolFailure(
    "ambiguous-match",
    `oldString stands at ${count} places in ${name} (lines ${lines.join(", ")}${found.length > 10 ? ", …" : ""}). Give more of the lines around the one you mean, or set replaceAll to change all of them.`,
    { matches: found.length },
  );
}

function apartOnes(matches: Iterable<Match>): Match[] {
  const apart: Match[] = [];
  for (const match of matches) {
    if (match.start < (apart.at(-1)?.end ?? 0)) continue;
    apart.push(match);
    if (apart.length > replacementsMax) {
      throw new ToolFailure(
        "invalid-input",
        `oldString stands at more than ${replacementsMax} places. Change them with a command such as sed.`,
      );
    }
  }
  return apart;
}

/** Places are those of the text with plain line feeds, and are taken back to the text as it is. */
function replaceIn(text: string, matches: readonly Match[]): string {
  const original = placesIn(text);
  const common = commonEnd(text);
  const pieces: string[] = [];
  let at = 0;
  let length = text.length;
  for (const match of matches) {
    const start = original(match.start);
    const end = original(match.end);
    const replaced = text.slice(start, end);
    const replacement = match.replacement().replaceAll("\n", endWithin(replaced) ?? common);
    length += replacement.length - replaced.length;
    if (length > fileLimits.textBytes) throw tooLarge();
    pieces.push(text.slice(at, start), replacement);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** From a place in the text with plain line feeds to that in the text itself; asked in rising order. */
function placesIn(text: string): (place: number) => number {
  let removed = 0;
  let next = text.indexOf("\r\n");
  return (place) => {
    while (next !== -1 && next - removed < place) {
      removed += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + removed;
  };
}

function endWithin(text: string): string | null {
  const feed = text.indexOf("\n");
  if (feed === -1) return null;
  return text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/** The line end that most lines of a text have. */
export function commonEnd(text: string): "\n" | "\r\n" {
  let feeds = 0;
  let both = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    feeds += 1;
    if (text[at - 1] === "\r") both += 1;
  }
  return both * 2 > feeds ? "\r\n" : "\n";
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}

function notFound(text: string, wanted: string, replacement: string, name: string): ToolFailure {
  const words = [`oldString was not found in ${name}.`];
  const done = replacement.trim() === "" ? -1 : text.indexOf(replacement);
  if (done !== -1) {
    words.push(
      `newString stands there already, at line ${lineAt(text, done)}: perhaps this edit was made before.`,
    );
  } else {
    const near = nearestLine(text, wanted);
    if (near !== null) words.push(`A line of it is at line ${near}, with other lines around it.`);
  }
  words.push("Read the file again, and copy the text from there without its line numbers.");
  return new ToolFailure("match-not-found", words.join(" "));
}

/** Where the longest line of what was looked for stands by itself. */
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
