import type { Block } from "@landline/protocol";

/** So much of a long prompt is shown at first. */
const linesShown = 20;
/** A few lines more are not worth a button. */
const linesSpared = 5;
/** About what a line of the column holds; a longer one wraps. */
const lineLength = 72;

/** The beginning of a long prompt, with all of it that is no text; null for one that is shown whole. */
export function promptPreview(blocks: readonly Block[]): readonly Block[] | null {
  const isLong = cut(blocks, linesShown + linesSpared).isCut;
  return isLong ? cut(blocks, linesShown).blocks : null;
}

interface Cut {
  readonly blocks: readonly Block[];
  readonly isCut: boolean;
}

function cut(blocks: readonly Block[], most: number): Cut {
  let left = most;
  let isCut = false;
  const kept = blocks.flatMap((block): Block[] => {
    // A text that is kept apart is not here, and shown only when somebody asks for it.
    if (block.type !== "text" || block.blob !== undefined) return [block];
    const { lines, end } = measured(block.text, left);
    left -= lines;
    if (end === block.text.length) return [block];
    isCut = true;
    return end === 0 ? [] : [{ ...block, text: `${wholeWords(block.text.slice(0, end))} …` }];
  });
  return { blocks: kept, isCut };
}

/** How many lines there are, up to `most`, and where they end. */
function measured(text: string, most: number): { readonly lines: number; readonly end: number } {
  let lines = 0;
  let end = 0;
  while (lines < most && end < text.length) {
    const newline = text.indexOf("\n", end);
    const length = (newline === -1 ? text.length : newline) - end;
    end += length > lineLength ? lineLength : length + 1;
    lines += 1;
  }
  return { lines, end: Math.min(end, text.length) };
}

/** Not cut within a word, unless that is longer than a line. */
function wholeWords(text: string): string {
  const tidy = text.trimEnd();
  if (tidy !== text) return tidy;
  const space = tidy.search(/\s\S*$/u);
  // Half of a character is none.
  if (space < tidy.length - lineLength) return tidy.replace(/\p{Surrogate}$/u, "");
  return tidy.slice(0, space);
}
