import { clsx } from "clsx";
import type { Blockquote, FootnoteDefinition, Heading, ListItem, RootContent } from "mdast";
import { memo } from "react";
import { Code } from "../code.tsx";
import { VisibleText } from "../visible-text.tsx";
import { Inline } from "./inline.tsx";
import { nodeKey } from "./node-key.ts";
import { MarkdownList } from "./list.tsx";
import { MarkdownTable } from "./table.tsx";

export interface MarkdownBlockProps {
  readonly node: RootContent;
  /** Whether the block may grow. */
  readonly isLive?: boolean;
}

/** One block. Finished blocks keep their node and are not rendered again. */
export const MarkdownBlock = memo(function MarkdownBlock({
  node,
  isLive = false,
}: MarkdownBlockProps) {
  switch (node.type) {
    case "paragraph":
      return (
        <p className="[overflow-wrap:anywhere]">
          <Inline of={node} />
        </p>
      );
    case "heading":
      return <MarkdownHeading node={node} />;
    case "code":
      return <Code text={node.value} language={node.lang ?? null} isLive={isLive} />;
    case "list":
      return <MarkdownList node={node} draw={BlocksOf} />;
    case "blockquote":
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-soft">
          <BlocksOf of={node} />
        </blockquote>
      );
    case "table":
      return <MarkdownTable node={node} />;
    case "thematicBreak":
      return <hr className="my-1 border-line" />;
    case "html":
      return (
        <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">
          <VisibleText text={node.value} isProse />
        </p>
      );
    case "footnoteDefinition":
      return (
        <div className="flex gap-2 text-sm text-soft">
          <span className="shrink-0">{node.label ?? node.identifier}</span>
          <BlocksOf of={node} />
        </div>
      );
    default:
      return null;
  }
});

const headings = { 1: "h3", 2: "h4", 3: "h5", 4: "h6", 5: "h6", 6: "h6" } as const;

/** Headings differ by weight, not size, and rank below those of the page. */
function MarkdownHeading({ node }: { readonly node: Heading }) {
  const Level = headings[node.depth];
  return (
    <Level
      className={clsx(
        "mt-2 [overflow-wrap:anywhere] first:mt-0",
        node.depth <= 2 ? "font-bold" : "font-semibold",
        node.depth >= 4 && "text-soft",
      )}
    >
      <Inline of={node} />
    </Level>
  );
}

interface BlocksOfProps {
  readonly of: Blockquote | FootnoteDefinition | ListItem;
  readonly isTight?: boolean;
}

function BlocksOf({ of, isTight = false }: BlocksOfProps) {
  return (
    <div className={clsx("flex min-w-0 flex-col", isTight ? "gap-1" : "gap-3")}>
      {of.children.map((node) => (
        <MarkdownBlock key={nodeKey(of, node)} node={node} />
      ))}
    </div>
  );
}
