import { commonLineEnding } from "./edit-text.ts";
import { occurrences } from "./occurrences.ts";
import type { Hunk } from "./patch-text.ts";
import { reindented } from "./reindent.ts";
import { plainPunctuation } from "./text-lines.ts";
import { ToolFailure } from "./tool.ts";

interface FileLine {
  text: string;
  end: string;
}

/** How lines are compared, from strict to tolerant. */
const keys: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => plainPunctuation(line).trim(),
];

/**
 * Applies the hunks from top to bottom. Lines that no hunk removes stay unchanged, byte for byte. Throws
 * ToolFailure that names the hunk that does not match.
 */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  name: string,
): { text: string; isExact: boolean } {
  const file = new PatchedFile(text, name);
  for (const hunk of hunks) file.apply(hunk);
  return { text: file.text(), isExact: file.isExact };
}

class PatchedFile {
  readonly #name: string;
  readonly #old: FileLine[];
  readonly #end: string;
  readonly #new: FileLine[] = [];
  readonly #keyed: string[][] = [];
  /** Lines of the old text that were processed. */
  #at = 0;
  isExact = true;

  constructor(text: string, name: string) {
    this.#name = name;
    this.#old = linesOf(text);
    this.#end = commonLineEnding(text);
  }

  apply(hunk: Hunk): void {
    const wanted = hunk.lines.filter((line) => line.kind !== "added").map((line) => line.text);
    const from = this.#afterHeaders(hunk);
    const position =
      wanted.length === 0 ? this.#placeOfAddition(hunk, from) : this.#find(hunk, wanted, from);
    if (position.level > 0) this.isExact = false;
    this.#copyTo(position.start);
    const found = this.#old.slice(position.start, position.start + wanted.length);
    const texts = found.map((line) => line.text);
    const end = found.find((line) => line.end !== "")?.end ?? this.#end;
    for (const line of hunk.lines) {
      if (line.kind === "added") {
        const added = position.level < 2 ? line.text : reindented(line.text, wanted, texts);
        this.#new.push({ text: added, end });
      } else {
        if (line.kind === "context") this.#copyTo(this.#at + 1);
        else this.#at += 1;
      }
    }
  }

  text(): string {
    this.#copyTo(this.#old.length);
    // A missing final line feed is preserved, and lines are never joined.
    const last = this.#new.length - 1;
    const isOpen = this.#old.at(-1)?.end === "";
    return this.#new
      .map((line, at) => {
        if (at === last) return isOpen ? line.text : line.text + (line.end || this.#end);
        return line.text + (line.end || this.#end);
      })
      .join("");
  }

  #copyTo(line: number): void {
    for (; this.#at < line; this.#at += 1) {
      const copied = this.#old[this.#at];
      if (copied) this.#new.push(copied);
    }
  }

  /** The line after the hunk's headers, where the search starts. */
  #afterHeaders(hunk: Hunk): number {
    let from = this.#at;
    for (const header of hunk.headers) {
      const lines = this.#keys(2);
      let at = lines.findIndex((line, index) => index >= from && line === header);
      if (at === -1)
        at = lines.findIndex((line, index) => index >= from && line.startsWith(header));
      if (at === -1) throw this.#misfit(hunk, `the line "${header}" after @@ was not found`, from);
      from = at + 1;
    }
    return from;
  }

  #placeOfAddition(hunk: Hunk, from: number): { start: number; level: number } {
    const isAfterHeader = hunk.headers.length > 0 && !hunk.atEnd;
    return { start: isAfterHeader ? from : this.#old.length, level: 0 };
  }

  #find(hunk: Hunk, wanted: readonly string[], from: number): { start: number; level: number } {
    // Models sometimes repeat a header as the first line of its hunk.
    const starts = hunk.headers.length > 0 && from > this.#at ? [from, from - 1] : [from];
    for (const [level, keyOf] of keys.entries()) {
      const wantedKeys = wanted.map(keyOf);
      for (const first of starts) {
        for (const start of occurrences(this.#keys(level), wantedKeys, first)) {
          if (!hunk.atEnd || start + wanted.length === this.#old.length) return { start, level };
        }
      }
    }
    const where = hunk.atEnd ? "were not found at its end" : "were not found";
    throw this.#misfit(hunk, `the lines that stay or go ${where}`, from);
  }

  #keys(level: number): string[] {
    this.#keyed[level] ??= this.#old.map((line) => (keys[level] ?? String)(line.text));
    return this.#keyed[level];
  }

  #misfit(hunk: Hunk, what: string, from: number): ToolFailure {
    const after = from === 0 ? "" : `, looking from line ${from + 1} on`;
    return new ToolFailure(
      "match-not-found",
      `The patch does not fit ${this.#name}: in the change at line ${hunk.line} of the patch, ${what}${after}. Nothing was changed. Read the file again, and make the patch from what you read.`,
    );
  }
}

function linesOf(text: string): FileLine[] {
  const lines = text.split("\n").map((line, at, all): FileLine => {
    if (at === all.length - 1) return { text: line, end: "" };
    return line.endsWith("\r")
      ? { text: line.slice(0, -1), end: "\r\n" }
      : { text: line, end: "\n" };
  });
  if (lines.at(-1)?.text === "") lines.pop();
  return lines;
}
