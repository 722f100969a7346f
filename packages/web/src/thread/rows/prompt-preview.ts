import type { Block } from "@landline/protocol";

/** The length of the preview. */
const linesShown = 20;
/** Do not collapse a prompt that is only a little longer. */
const linesSpared = 5;
/** The approximate length of a line; longer ones wrap. */
const lineLength = 72;

/** The first lines of a long prompt, with its other blocks; null if the prompt is short. */
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
    // Text that is stored as a blob is not loaded here.
    if (block.type !== "text" || block.blob !== undefined) return [block];
    const { lines, end } = measured(block.text, left);
    left -= lines;
    if (end === block.text.length) return [block];
    isCut = true;
    return end === 0 ? [] : [{ ...block, text: `${wholeWords(block.text.slice(0, end))} …` }];
  });
  return { blocks: kept, isCut };
}

/** The number of lines, up to `most`, and where they end. */
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

/** Cuts at a space, unless the last word is longer than a line. */
function wholeWords(text: string): string {
  const tidy = text.trimEnd();
  if (tidy !== text) return tidy;
  const space = tidy.search(/\s\S*$/u);
  // Remove half of a surrogate pair.
  if (space < tidy.length - lineLength) return tidy.replace(/\p{Surrogate}$/u, "");
  return tidy.slice(0, space);
}
