import { memo } from "react";
import { MarkdownBlock } from "./block.tsx";
import { PlainBlock } from "./plain-block.tsx";
import { groupSize, type BlockGroup, type ShownBlock } from "./block-groups.ts";

export interface MarkdownGroupsProps {
  readonly groups: readonly BlockGroup[];
  /** The blocks that may still change; rendered in the last group. */
  readonly tail: readonly ShownBlock[];
  readonly isLive: boolean;
}

const noBlocks: readonly ShownBlock[] = [];

export function MarkdownGroups({ groups, tail, isLive }: MarkdownGroupsProps) {
  const last = groups.at(-1);
  const hasRoom = last !== undefined && last.blocks.length < groupSize;
  const full = hasRoom ? groups.slice(0, -1) : groups;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {full.map((group) => (
        <Group key={group.key} blocks={group.blocks} tail={noBlocks} isLive={false} />
      ))}
      {hasRoom || tail.length > 0 ? (
        <Group
          key={full.length}
          blocks={hasRoom ? last.blocks : noBlocks}
          tail={tail}
          isLive={isLive}
        />
      ) : null}
    </div>
  );
}

interface GroupProps {
  readonly blocks: readonly ShownBlock[];
  readonly tail: readonly ShownBlock[];
  readonly isLive: boolean;
}

const Group = memo(function Group({ blocks, tail, isLive }: GroupProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {[...blocks, ...tail].map(({ key, node }, index) => {
        const isOpen = isLive && index === blocks.length + tail.length - 1;
        return node.type === "plain" ? (
          <PlainBlock key={key} text={node.value} isLive={isOpen} />
        ) : (
          <MarkdownBlock key={key} node={node} isLive={isOpen} />
        );
      })}
    </div>
  );
});
