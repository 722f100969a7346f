import type { Block } from "../view/item.ts";
import type { Draft } from "./draft.ts";
import { stringOf } from "../raw-value.ts";

/** Parses content blocks and joins adjacent text. */

/** Adds a block to a list that the draft owns. Adjacent text blocks are joined. */
export function appendBlock(draft: Draft, blocks: Block[], block: Block): void {
  const last = blocks.at(-1);
  if (!isPlainText(block)) {
    blocks.push(block);
  } else if (last === undefined || !isPlainText(last) || !sameAnnotations(last, block)) {
    blocks.push(draft.adopt({ ...block }));
  } else {
    const joined = draft.part(last);
    joined.text += block.text;
    blocks[blocks.length - 1] = joined;
  }
}

type TextBlock = Extract<Block, { type: "text" }>;

function isPlainText(block: Block): block is TextBlock {
  return block.type === "text" && block.blob === undefined;
}

/** Some agents annotate every chunk identically. Text with different annotations is not joined. */
function sameAnnotations(some: TextBlock, other: TextBlock): boolean {
  const [ours, theirs] = [some.annotations ?? null, other.annotations ?? null];
  return ours === theirs || JSON.stringify(ours) === JSON.stringify(theirs);
}

/**
 * Whether the text of the blocks has `text` at `offset`. It does not concatenate the blocks, because prompts can be
 * long.
 */
export function textContinues(blocks: readonly Block[], offset: number, text: string): boolean {
  let skip = offset;
  let matched = 0;
  for (const block of blocks) {
    if (block.type !== "text") continue;
    const from = Math.min(skip, block.text.length);
    skip -= from;
    const length = Math.min(block.text.length - from, text.length - matched);
    if (!block.text.startsWith(text.slice(matched, matched + length), from)) return false;
    matched += length;
    if (matched === text.length) return true;
  }
  return matched === text.length;
}

/** The string, or an empty string when the text is a blob. */
export function textOf(value: unknown): string {
  return stringOf(value) ?? "";
}
