import type { diffWordsWithSpace } from "diff";

/** A differing range of a line: [from, to). */
export type Mark = readonly [from: number, to: number];

export interface WordMarks {
  readonly old: readonly Mark[];
  readonly new: readonly Mark[];
}

const LINE_LENGTH = 600;
const none: WordMarks = { old: [], new: [] };

/** The words that differ between two lines; none for lines that are long or have little in common. */
export function wordMarks(
  compare: typeof diffWordsWithSpace,
  oldLine: string,
  newLine: string,
): WordMarks {
  if (oldLine.length > LINE_LENGTH || newLine.length > LINE_LENGTH) return none;
  const changes = compare(oldLine, newLine, { maxEditLength: 60 });
  if (changes === undefined) return none;
  const marks = { old: [] as Mark[], new: [] as Mark[] };
  let oldAt = 0;
  let newAt = 0;
  let same = 0;
  for (const { value, added, removed } of changes) {
    const { length } = value;
    if (removed) marks.old.push([oldAt, oldAt + length]);
    if (added) marks.new.push([newAt, newAt + length]);
    if (!added) oldAt += length;
    if (!removed) newAt += length;
    if (!added && !removed) same += value.trim().length;
  }
  // A rewritten line is visible by its colour; marks all over it would not help.
  return same * 3 < Math.min(oldLine.trim().length, newLine.trim().length) ? none : marks;
}
