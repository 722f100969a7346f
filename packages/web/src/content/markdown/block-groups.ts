import type { RootContent } from "mdast";

/** A block that is too long to be parsed while it grows. */
export interface Plain {
  readonly type: "plain";
  readonly value: string;
}

export type ShownNode = RootContent | Plain;

export interface ShownBlock {
  /** Its offset in the text. */
  readonly key: number;
  readonly node: ShownNode;
}

/** Blocks that are rendered together. Full groups keep their identity, so a long text re-renders few of them. */
export interface BlockGroup {
  readonly key: number;
  readonly blocks: readonly ShownBlock[];
}

export const groupSize = 40;

export function addBlocks(
  groups: readonly BlockGroup[],
  blocks: readonly ShownBlock[],
): readonly BlockGroup[] {
  const last = groups.at(-1);
  const isFull = last === undefined || last.blocks.length >= groupSize;
  const grown = isFull ? [...groups] : groups.slice(0, -1);
  let rest = isFull ? blocks : [...last.blocks, ...blocks];
  while (rest.length > 0) {
    grown.push({ key: grown.length, blocks: rest.slice(0, groupSize) });
    rest = rest.slice(groupSize);
  }
  return grown;
}
