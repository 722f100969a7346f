import { memo, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { cutPlain, noPlainPieces } from "../plain-pieces.ts";
import { useIncremental } from "../use-incremental.ts";
import { VisibleText } from "../visible-text.tsx";
import { MarkdownBlock } from "./block.tsx";
import { nodeKey } from "./node-key.ts";
import { parseMarkdown } from "./parse.ts";

export interface PlainBlockProps {
  readonly text: string;
  /** Whether the block may grow. */
  readonly isLive: boolean;
}

/** A very long block as plain text, with a button that renders it as Markdown. */
export function PlainBlock({ text, isLive }: PlainBlockProps) {
  const [isFormatted, setFormatted] = useState(false);
  const { pieces } = useIncremental(cutPlain, noPlainPieces, text);
  if (isFormatted) return <Formatted text={text} />;
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        {pieces.map((piece) => (
          <PlainText key={piece.from} text={piece.text} />
        ))}
      </div>
      {isLive ? null : <Button onClick={() => setFormatted(true)}>Show formatted</Button>}
    </div>
  );
}

const PlainText = memo(function PlainText({ text }: { readonly text: string }) {
  return (
    <p className="[overflow-wrap:anywhere] whitespace-pre-wrap [contain-intrinsic-size:auto_60rem] [content-visibility:auto]">
      <VisibleText text={text} />
    </p>
  );
});

function Formatted({ text }: { readonly text: string }) {
  const root = useMemo(() => parseMarkdown(text), [text]);
  return root.children.map((node) => <MarkdownBlock key={nodeKey(null, node)} node={node} />);
}
