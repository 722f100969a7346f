import { ToolFailure } from "./tool.ts";

/** One operation of a patch. */
export type PatchStep =
  | { kind: "add"; path: string; text: string }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo: string | null; hunks: Hunk[] };

export interface HunkLine {
  kind: "context" | "removed" | "added";
  text: string;
}

export interface Hunk {
  /** Lines after `@@`, which precede the hunk in the file. */
  headers: string[];
  lines: HunkLine[];
  /** The hunk must match at the end of the file. */
  atEnd: boolean;
  /** Its first line in the patch, counted from 1. */
  line: number;
}

const begin = "*** Begin Patch";
const end = "*** End Patch";
const endOfFile = "*** End of File";
const headings = /^\*\*\* (Add|Update|Delete) File: (.+)$/u;

/** The files that a patch names, even if it is invalid. */
export function patchedPaths(patchText: string): string[] {
  const paths = patchText.split("\n").flatMap((line) => headings.exec(line.trimEnd())?.[2] ?? []);
  return [...new Set(paths.map((path) => path.trim()))];
}

/** Parses a patch. Throws ToolFailure that names the invalid line. */
export function parsePatch(patchText: string): PatchStep[] {
  return new Parser(patchText).parse();
}

class Parser {
  readonly #lines: string[];
  #at = 0;

  constructor(patchText: string) {
    this.#lines = patchText.replaceAll("\r\n", "\n").split("\n");
  }

  parse(): PatchStep[] {
    // Ignore text around the patch, such as a here-document or a code fence.
    const first = this.#lines.findIndex((line) => line.trim() === begin);
    const last = this.#lines.findLastIndex((line) => line.trim() === end);
    if (first === -1) throw wrong(1, `a patch begins with "${begin}"`);
    if (last < first) {
      throw wrong(this.#lines.length, `the patch has no "${end}", so it may have been cut off`);
    }
    this.#lines.length = last;
    this.#at = first + 1;
    const steps: PatchStep[] = [];
    while (this.#at < this.#lines.length) {
      if (this.#line.trim() === "") this.#at += 1;
      else steps.push(this.#step());
    }
    if (steps.length === 0) throw wrong(first + 1, "the patch names no file");
    return steps;
  }

  get #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #step(): PatchStep {
    const [, what, named = ""] = headings.exec(this.#line.trimEnd()) ?? [];
    const path = named.trim();
    if (what === undefined || path === "") {
      throw wrong(
        this.#at + 1,
        'here should be "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"',
      );
    }
    this.#at += 1;
    if (what === "Delete") return { kind: "delete", path };
    return what === "Add" ? this.#add(path) : this.#update(path);
  }

  #add(path: string): PatchStep {
    const lines: string[] = [];
    for (; this.#isInStep(); this.#at += 1) {
      // Ignore an empty line at the end of a step.
      if (this.#line === "" && this.#isLastOfStep()) continue;
      if (!this.#line.startsWith("+")) {
        throw wrong(this.#at + 1, 'each line of a file that is added begins with "+"');
      }
      lines.push(`${this.#line.slice(1)}\n`);
    }
    return { kind: "add", path, text: lines.join("") };
  }

  #update(path: string): PatchStep {
    const moveTo = /^\*\*\* Move to: (.+)$/u.exec(this.#line.trimEnd())?.[1]?.trim() ?? null;
    if (moveTo !== null) this.#at += 1;
    const start = this.#at;
    const hunks: Hunk[] = [];
    while (this.#isInStep()) {
      if (this.#line === "" && this.#isLastOfStep()) this.#at += 1;
      else hunks.push(this.#hunk());
    }
    if (hunks.length === 0 && moveTo === null) {
      throw wrong(start, `the update of ${path} changes nothing`);
    }
    return { kind: "update", path, moveTo, hunks };
  }

  #hunk(): Hunk {
    const hunk: Hunk = { headers: [], lines: [], atEnd: false, line: this.#at + 1 };
    for (; this.#line.startsWith("@@"); this.#at += 1) {
      const header = headerOf(this.#line);
      if (header !== "") hunk.headers.push(header);
    }
    for (; this.#isInStep() && !this.#line.startsWith("@@"); this.#at += 1) {
      if (this.#line === "" && this.#isLastOfStep()) continue;
      hunk.lines.push(this.#hunkLine());
    }
    if (this.#line.trimEnd() === endOfFile && this.#at < this.#lines.length) {
      hunk.atEnd = true;
      this.#at += 1;
    }
    if (!hunk.lines.some((line) => line.kind !== "context")) {
      throw wrong(hunk.line, 'this change has no line that begins with "+" or "-"');
    }
    return hunk;
  }

  #hunkLine(): HunkLine {
    const kind = kinds[this.#line.slice(0, 1)];
    if (kind !== undefined) return { kind, text: this.#line.slice(1) };
    throw wrong(
      this.#at + 1,
      'each line of a change begins with " " (stays), "-" (goes) or "+" (comes)',
    );
  }

  #isInStep(): boolean {
    return this.#at < this.#lines.length && !this.#line.startsWith("*** ");
  }

  /** True when only empty lines follow until the next heading. */
  #isLastOfStep(): boolean {
    for (let at = this.#at; at < this.#lines.length; at += 1) {
      const line = this.#lines[at] ?? "";
      if (line.startsWith("*** ")) return line.trimEnd() !== endOfFile;
      if (line !== "") return false;
    }
    return true;
  }
}

const kinds: Record<string, HunkLine["kind"]> = {
  "": "context",
  " ": "context",
  "-": "removed",
  "+": "added",
};

/** Ignores line numbers of unified diffs. */
function headerOf(line: string): string {
  const words = line.slice(2).trim();
  const numbered = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$/u.exec(words);
  return (numbered?.[1] ?? words).trim();
}

function wrong(line: number, what: string): ToolFailure {
  return new ToolFailure(
    "invalid-input",
    `The patch can't be read: line ${line}: ${what}. Nothing was changed.`,
  );
}
