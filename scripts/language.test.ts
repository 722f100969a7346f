import { globSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";

/** Phrases that do not read like technical English. docs/glossary.md has the vocabulary. */
const banned: readonly string[] = [
  "a line each",
  "a question of its own",
  "a word of ours",
  "and its like",
  "as ever,",
  "as there is room",
  "begins anew",
  "by door",
  "by halving",
  "came of it",
  "comes back by itself",
  "comes to an end",
  "counts for nothing",
  "every door",
  "for as long as one likes",
  "for those who",
  "gives the folder free",
  "goes on with",
  "gone on with",
  "has no word for",
  "in its own words",
  "in words of",
  "inside of the",
  "is asked for once",
  "is felt",
  "is let in",
  "is looked at again and again",
  "is none of ours",
  "is not there any more",
  "is out at once",
  "is told of",
  "keeps to its",
  "knows nothing of",
  "leads out of",
  "leaves it alone to",
  "let go of",
  "lets go of",
  "lets people in",
  "lies beside",
  "made anew",
  "made whole",
  "may come in",
  "may stand here",
  "nobody can say",
  "not one of ours",
  "not what it should be",
  "of its own accord",
  "of no known kind",
  "of somebody else's",
  "one a line",
  "open door",
  "outside of the",
  "stand behind",
  "stands behind",
  "stands beside",
  "stands in front of",
  "started anew",
  "starts anew",
  "taken into service",
  "takes it back",
  "takes its word",
  "tells nobody",
  "tells of",
  "that are none",
  "that is called by",
  "that is none",
  "the doors",
  "the line is back",
  "the log is not concerned",
  "the only room",
  "the way that it went",
  "to be had",
  "token of ours",
  "tokens of ours",
  "told aloud",
  "told of",
  "took into service",
  "took its word back",
  "unless told",
  "walls between",
  "what became of",
  "what becomes of",
  "what is asked for",
  "what may stand",
  "what stands",
  "whatever stands",
  "where there is room",
  "which is whole",
  "who are behind",
  "without a look",
];

const root = path.join(import.meta.dirname, "..");
const skipped = new Set(["node_modules", "dist", path.basename(import.meta.filename)]);

/** The text with wrapped comments and paragraphs joined into one line. */
function textOf(file: string): string {
  const text = readFileSync(path.join(root, file), "utf8").toLowerCase();
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/|#|\|)?\s*/g, " ");
}

const files = globSync(["*.md", "{packages,docs,bench,scripts}/**/*.{ts,tsx,cjs,md}"], {
  cwd: root,
  exclude: (name) => skipped.has(path.basename(name)),
});
const texts = files.map((file) => [file, textOf(file)] as const);

test.each(banned)("“%s” does not occur", (phrase) => {
  const found = texts.flatMap(([file, text]) => (text.includes(phrase) ? [file] : []));
  expect(found).toEqual([]);
});
