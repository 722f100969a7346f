import { toolLimits } from "../limits.ts";
import { occurrences } from "./occurrences.ts";
import { reindented } from "./reindent.ts";
import { likeness, plainPunctuation, textLines, type TextLine } from "./text-lines.ts";

/** A range of a text and its replacement. */
export interface Match {
  start: number;
  end: number;
  replacement(): string;
}

/** In the order in which they are tried: each is more tolerant than the one before. */
export type MatchKind =
  | "exact"
  | "punctuation"
  | "line-ends"
  | "indentation"
  | "whitespace"
  | "escapes"
  | "anchors";

type Matcher = (text: string, wanted: string, replacement: string) => Generator<Match>;

/**
 * Finds text that a model may quote inexactly. The first kind of match with a result is used, so a tolerant
 * one never overrides a strict one. Line endings must be `\n`. Matches come in order and may overlap.
 */
export function findMatches(
  text: string,
  wanted: string,
  replacement: string,
): { matchKind: MatchKind; matches: Iterable<Match> } | null {
  if (wanted === "") return null;
  for (const [matchKind, matcher] of matchers) {
    // Inexact matching needs non-blank text, and memory.
    const isHopeless = wanted.trim() === "" || text.length > toolLimits.forgivenCharacters;
    if (matchKind !== "exact" && isHopeless) return null;
    const matches = matcher(text, wanted, replacement);
    const first = matches.next();
    if (first.done !== true) return { matchKind, matches: joined(first.value, matches) };
  }
  return null;
}

function* joined(first: Match, others: Iterable<Match>): Generator<Match> {
  yield first;
  yield* others;
}

const exact: Matcher = function* exact(text, wanted, replacement) {
  for (const start of occurrences(text, wanted)) {
    yield { start, end: start + wanted.length, replacement: () => replacement };
  }
};

/** Text that old and new have in common keeps the file's punctuation. */
const punctuation: Matcher = function* punctuation(text, wanted, replacement) {
  const plain = plainPunctuation(text);
  const plainWanted = plainPunctuation(wanted);
  if (plain === text && plainWanted === wanted) return;
  const { before, after } = commonEnds(wanted, replacement);
  const changed = replacement.slice(before, replacement.length - after);
  for (const start of occurrences(plain, plainWanted)) {
    const end = start + wanted.length;
    const kept = (from: number, to: number) => text.slice(from, to);
    yield {
      start,
      end,
      replacement: () => kept(start, start + before) + changed + kept(end - after, end),
    };
  }
};

function commonEnds(one: string, other: string): { before: number; after: number } {
  const most = Math.min(one.length, other.length);
  let before = 0;
  while (before < most && one[before] === other[before]) before += 1;
  let after = 0;
  while (after < most - before && one.at(-1 - after) === other.at(-1 - after)) after += 1;
  return { before, after };
}

const lineEnds: Matcher = function* lineEnds(text, wanted, replacement) {
  const block = blockOf(wanted);
  for (const found of blocks(text, block, (line) => line.trimEnd())) {
    yield spanOf(text, found, block, () => replacement);
  }
};

const indentation: Matcher = function* indentation(text, wanted, replacement) {
  const block = blockOf(wanted);
  for (const found of blocks(text, block, (line) => line.trim())) {
    yield spanOf(text, found, block, () => reindented(replacement, block.lines, textsOf(found)));
  }
};

interface Block {
  lines: string[];
  /** Includes the line feed after the last line. */
  withFeed: boolean;
}

function blockOf(wanted: string): Block {
  const withFeed = wanted.endsWith("\n");
  return { lines: (withFeed ? wanted.slice(0, -1) : wanted).split("\n"), withFeed };
}

/** A range of lines. */
interface FoundLines {
  lines: readonly TextLine[];
  first: number;
  count: number;
}

function textsOf({ lines, first, count }: FoundLines): string[] {
  return lines.slice(first, first + count).map((line) => line.text);
}

function* blocks(
  text: string,
  { lines: wanted }: Block,
  keyOf: (line: string) => string,
): Generator<FoundLines> {
  const lines = textLines(text);
  const keys = lines.map((line) => keyOf(line.text));
  for (const first of occurrences(keys, wanted.map(keyOf))) {
    yield { lines, first, count: wanted.length };
  }
}

function spanOf(
  text: string,
  { lines, first, count }: FoundLines,
  { withFeed }: Block,
  replacement: () => string,
): Match {
  const start = lines[first]?.start ?? 0;
  const end = lines[first + count - 1]?.end ?? start;
  if (!withFeed) return { start, end, replacement };
  if (end < text.length) return { start, end: end + 1, replacement };
  // The file has no final line feed; keep it that way.
  return { start, end, replacement: () => replacement().replace(/\n$/u, "") };
}

/** Compares words and ignores whitespace. */
const whitespace: Matcher = function* whitespace(text, wanted, replacement) {
  const starts: number[] = [];
  const words: string[] = [];
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    starts.push(index);
    words.push(word);
  }
  const wantedWords = wanted.match(/\S+/gu) ?? [];
  // The match excludes surrounding whitespace, so the replacement must too.
  let inner = replacement;
  if (/^\s/u.test(wanted)) inner = inner.trimStart();
  if (/\s$/u.test(wanted)) inner = inner.trimEnd();
  for (const first of occurrences(words, wantedWords)) {
    const last = first + wantedWords.length - 1;
    const end = (starts[last] ?? 0) + (words[last]?.length ?? 0);
    yield { start: starts[first] ?? 0, end, replacement: () => inner };
  }
};

const escapes: Matcher = function* escapes(text, wanted, replacement) {
  const meant = unescaped(wanted);
  if (meant !== wanted) yield* exact(text, meant, unescaped(replacement));
};

const escaped: Record<string, string> = { "r\\n": "\n", n: "\n", t: "\t" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(r\\n|[nt"'`\\$])/gu, (_, letter: string) => escaped[letter] ?? letter);
}

const anchorLines = 3;
/** Maximum blocks with the same first and last line. With more, they identify nothing. */
const anchoredMax = 50;
const likenessMin = 0.75;

/** Matches by first and last line, if the lines between are as many, half of them equal, and all similar. */
const anchors: Matcher = function* anchors(text, wanted, replacement) {
  const block = blockOf(wanted);
  const wantedKeys = block.lines.map((line) => line.trim());
  const count = wantedKeys.length;
  if (count < anchorLines || wantedKeys[0] === "" || wantedKeys.at(-1) === "") return;
  const lines = textLines(text);
  const keys = lines.map((line) => line.text.trim());
  const starts = keys.flatMap((key, at) =>
    key === wantedKeys[0] && keys[at + count - 1] === wantedKeys.at(-1) ? [at] : [],
  );
  if (starts.length > anchoredMax) return;
  for (const first of starts) {
    if (!isAlike(wantedKeys.slice(1, -1), keys.slice(first + 1, first + count - 1))) continue;
    const found = { lines, first, count };
    yield spanOf(text, found, block, () => reindented(replacement, block.lines, textsOf(found)));
  }
};

function isAlike(wanted: readonly string[], found: readonly string[]): boolean {
  const scores = wanted.map((line, at) => likeness(line, found[at] ?? ""));
  const same = scores.filter((score) => score === 1).length;
  const sum = scores.reduce((total, score) => total + score, 0);
  return same * 2 >= scores.length && sum >= likenessMin * scores.length;
}

const matchers: readonly (readonly [MatchKind, Matcher])[] = [
  ["exact", exact],
  ["punctuation", punctuation],
  ["line-ends", lineEnds],
  ["indentation", indentation],
  ["whitespace", whitespace],
  ["escapes", escapes],
  ["anchors", anchors],
];
