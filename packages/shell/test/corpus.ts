import { readFileSync } from "node:fs";
import type { Use } from "../src/line-facts.ts";
import type { ReasonCode } from "../src/verdict.ts";
import type { Fixture } from "./project-fixture.ts";

export { type Fixture, hostileProject, ordinaryProject } from "./project-fixture.ts";

/** A command line with its expected verdict, from the manuals of its programs. */
export interface CorpusLine {
  readonly line: string;
  /** `allow`: it only reads inside the project. `ask`: a person decides. */
  readonly verdict: "allow" | "ask";
  /** Reasons that the verdict must contain. */
  readonly reasons: readonly ReasonCode[];
  /** Every program that the line names and runs, including wrappers. */
  readonly programs: readonly string[];
  /** Paths that the verdict must contain; relative to the project or absolute. */
  readonly paths: readonly (readonly [use: Use, path: string])[];
  readonly note: string | null;
}

/** Whether a rule for commands that start with `allowed` covers another line. */
export interface WideningPair {
  readonly allowed: string;
  readonly line: string;
  /** Whether the rule allows the line. */
  readonly covered: boolean;
  readonly note: string | null;
}

/** Everyday lines, for `ordinaryProject()`. */
export function ordinaryCorpus(fixture: Fixture): readonly CorpusLine[] {
  return readLines("ordinary.jsonl", fixture).map(corpusLine);
}

/** Lines that always need permission, for `hostileProject()`. */
export function hostileCorpus(fixture: Fixture): readonly CorpusLine[] {
  return readLines("hostile.jsonl", fixture).map(corpusLine);
}

/** What rules may and may not allow, for `ordinaryProject()`. */
export function wideningCorpus(fixture: Fixture): readonly WideningPair[] {
  return readLines("widening.jsonl", fixture).map((data) => {
    const { allowed, line, covered, note = null } = data as Partial<WideningPair>;
    if (allowed === undefined || line === undefined || covered === undefined)
      throw new TypeError(`A pair of widening.jsonl is not complete: ${JSON.stringify(data)}`);
    return { allowed, line, covered, note };
  });
}

function corpusLine(data: object): CorpusLine {
  const { line, verdict, reasons, programs, paths, note } = data as Partial<CorpusLine>;
  if (line === undefined || verdict === undefined || programs === undefined)
    throw new TypeError(`A line of the corpus is not complete: ${JSON.stringify(data)}`);
  return {
    line,
    verdict,
    reasons: reasons ?? [],
    programs,
    paths: paths ?? [],
    note: note ?? null,
  };
}

/** `@PROJECT@`, `@OUT@` and `@HOME@` are replaced by the folders of the fixture. */
function readLines(name: string, { project, outside, home }: Fixture): object[] {
  const text = readFileSync(new URL(`corpus/${name}`, import.meta.url), "utf8")
    .replaceAll("@PROJECT@", project)
    .replaceAll("@OUT@", outside)
    .replaceAll("@HOME@", home);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
}
