import type { MessageItem } from "@landline/protocol";
import { Blocks } from "../../content/blocks.tsx";
import { PromptBlocks } from "./prompt-blocks.tsx";

export interface MessageRowProps {
  readonly item: MessageItem;
  readonly isLive: boolean;
}

/** The agent's text, or a user message that the agent reports from elsewhere. */
export function MessageRow({ item, isLive }: MessageRowProps) {
  if (item.role === "agent") return <Blocks blocks={item.content} isLive={isLive} />;
  return (
    <article
      aria-label="Prompt, as the agent reports it"
      className="rounded-card bg-raised px-3 py-2"
    >
      <PromptBlocks blocks={item.content} disclosureKey={`prompt ${item.key} ${item.at}`} />
    </article>
  );
}
