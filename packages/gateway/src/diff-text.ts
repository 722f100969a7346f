const contextLines = 3;

interface Row {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/**
 * Returns a unified diff of two texts, or "" if they are equal. Lines that are unique in both texts are anchors, and
 * the parts between them are compared from both ends: nearly linear for any texts.
 */
export function diffText(path: string, oldText: string | null, newText: string): string {
  const before = oldText ?? "";
  const isSameEnd = before.endsWith("\n") === newText.endsWith("\n");
  const rows = rowsOf(linesOf(before, isSameEnd), linesOf(newText, isSameEnd));
  const hunks = hunksOf(rows);
  if (hunks.length === 0 && oldText !== null) return "";
  return [`--- ${oldText === null ? "/dev/null" : path}`, `+++ ${path}`, ...hunks].join("\n");
}

/** Many of these texts are parts of a file: a missing final newline is marked only where the other text has one. */
function linesOf(text: string, isSameEnd: boolean): readonly string[] {
  if (text === "") return [];
  if (text.endsWith("\n")) return text.slice(0, -1).split("\n");
  const lines = text.split("\n");
  return isSameEnd ? lines : [...lines.slice(0, -1), `${lines.at(-1)}\n${noLineEnd}`];
}

const noLineEnd = String.raw`\ No newline at end of file`;

function rowsOf(before: readonly string[], after: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  let [from, to] = [0, 0];
  const ends: Pair = [before.length, after.length];
  for (const [nextFrom, nextTo] of [...anchorsOf(before, after), ends]) {
    addGap(rows, before.slice(from, nextFrom), after.slice(to, nextTo));
    [from, to] = [nextFrom, nextTo];
  }
  return rows;
}

function addGap(rows: Row[], before: readonly string[], after: readonly string[]): void {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const add = (mark: Row["mark"], lines: readonly string[]) => {
    for (const line of lines) rows.push({ mark, line });
  };
  add(" ", before.slice(0, start));
  add("-", before.slice(start, before.length - end));
  add("+", after.slice(start, after.length - end));
  add(" ", before.slice(before.length - end));
}

type Pair = readonly [before: number, after: number];

/** The longest sequence of lines that are unique in both texts, in the order of both. */
function anchorsOf(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const places = uniquePlaces(after);
  const pairs = [...uniquePlaces(before)].flatMap(([line, at]): Pair[] => {
    const place = places.get(line);
    return place === undefined ? [] : [[at, place]];
  });
  return longestRising(pairs.sort(([one], [other]) => one - other));
}

function uniquePlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

interface Chain {
  readonly pair: Pair;
  readonly previous: Chain | undefined;
}

/** Patience sorting: each pair goes on the first pile whose top is not before it. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  const piles: Chain[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    piles[low] = { pair, previous: piles[low - 1] };
  }
  const found: Pair[] = [];
  for (let chain = piles.at(-1); chain; chain = chain.previous) found.push(chain.pair);
  return found.toReversed();
}

/** Changes with lines of context; hunks whose contexts touch are merged. */
function hunksOf(rows: readonly Row[]): string[] {
  const lines: string[] = [];
  let [oldLine, newLine, at] = [0, 0, 0];
  const pass = (until: number) => {
    for (; at < until; at++) {
      if (rows[at]?.mark !== "+") oldLine++;
      if (rows[at]?.mark !== "-") newLine++;
    }
  };
  for (const [start, end] of spansOf(rows)) {
    pass(start);
    const [oldStart, newStart] = [oldLine, newLine];
    pass(end);
    const ranges = `-${range(oldStart, oldLine)} +${range(newStart, newLine)}`;
    lines.push(`@@ ${ranges} @@`);
    for (const { mark, line } of rows.slice(start, end)) lines.push(mark + line);
  }
  return lines;
}

function spansOf(rows: readonly Row[]): readonly (readonly [start: number, end: number])[] {
  const spans: [number, number][] = [];
  for (const [at, { mark }] of rows.entries()) {
    if (mark === " ") continue;
    const start = Math.max(0, at - contextLines);
    const end = Math.min(rows.length, at + contextLines + 1);
    const last = spans.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else spans.push([start, end]);
  }
  return spans;
}

/** An empty range has the number of the line before it. */
function range(from: number, to: number): string {
  return to === from ? `${from},0` : `${from + 1},${to - from}`;
}
