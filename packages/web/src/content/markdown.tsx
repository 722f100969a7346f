import { memo } from "react";
import { MarkdownGroups } from "./markdown/markdown-groups.tsx";
import { DefinitionsOf } from "./markdown/reference.tsx";
import { useMarkdown } from "./markdown/use-markdown.ts";

export interface MarkdownProps {
  readonly text: string;
  /** Whether the text may grow. */
  readonly isLive?: boolean;
}

/** Renders Markdown. HTML is shown as text, and nothing is loaded from elsewhere. */
export const Markdown = memo(function Markdown({ text, isLive = false }: MarkdownProps) {
  const { reading, tail, isOpen } = useMarkdown(text, isLive);
  return (
    <DefinitionsOf value={reading.definitions}>
      <MarkdownGroups groups={reading.groups} tail={tail} isLive={isOpen} />
    </DefinitionsOf>
  );
});
