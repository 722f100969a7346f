import type { Block } from "@landline/protocol";
import { memo } from "react";
import { Disclosure } from "../ui/disclosure.tsx";
import { Audio } from "./audio.tsx";
import { BlobText } from "./blob-text.tsx";
import { Image } from "./image.tsx";
import { Json } from "./json.tsx";
import { Markdown } from "./markdown.tsx";
import { withIndex } from "./with-index.ts";
import { LinkedResource, Resource } from "./resource.tsx";

export interface BlocksProps {
  readonly blocks: readonly Block[];
  /** Whether more blocks may follow. */
  readonly isLive?: boolean;
}

/** The content blocks of a message or tool call. */
export const Blocks = memo(function Blocks({ blocks, isLive = false }: BlocksProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {withIndex(blocks).map(({ index, value }) => (
        <OneBlock key={index} block={value} isLive={isLive && index === blocks.length - 1} />
      ))}
    </div>
  );
});

interface OneBlockProps {
  readonly block: Block;
  readonly isLive: boolean;
}

const OneBlock = memo(function OneBlock({ block, isLive }: OneBlockProps) {
  if (!isForPeople(block)) {
    return (
      <Disclosure summary={<span className="text-soft">For the agent</span>}>
        {() => <BlockContent block={block} isLive={isLive} />}
      </Disclosure>
    );
  }
  return <BlockContent block={block} isLive={isLive} />;
});

function BlockContent({ block, isLive }: OneBlockProps) {
  if (block.blob) {
    return <BlobText blob={block.blob}>{(text) => <Markdown text={text} />}</BlobText>;
  }
  switch (block.type) {
    case "text":
      return <Markdown text={block.text} isLive={isLive} />;
    case "image":
      return <Image data={block.data} mimeType={block.mimeType} />;
    case "audio":
      return <Audio data={block.data} mimeType={block.mimeType} />;
    case "resource":
      return <Resource resource={block.resource} />;
    case "resource_link":
      return <LinkedResource link={block} />;
    default:
      return <Json value={block} />;
  }
}

function isForPeople(block: Block): boolean {
  const audience: unknown = "annotations" in block ? block.annotations?.audience : null;
  return !Array.isArray(audience) || audience.length === 0 || audience.includes("user");
}
