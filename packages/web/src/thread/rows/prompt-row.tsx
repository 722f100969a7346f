import type { PromptItem } from "@landline/protocol";
import { personName } from "../../state/person-name.ts";
import { useMe } from "../../state/session.tsx";
import { PromptBlocks } from "./prompt-blocks.tsx";

/** A prompt, with the sender's name if another client sent it. */
export function PromptRow({ item }: { readonly item: PromptItem }) {
  const me = useMe();
  const isMine = me === null || item.by === null || item.by === me.clientId;
  return (
    // Not Markdown, which would join the line breaks that people type.
    <article
      aria-label="Prompt"
      className="rounded-card bg-raised px-3 py-2 [&_p]:whitespace-pre-line"
    >
      {isMine ? null : <p className="text-xs font-medium text-soft">{personName(item.by, me)}</p>}
      {item.content.length === 0 ? (
        <p className="text-soft">An earlier prompt that is not loaded</p>
      ) : (
        <PromptBlocks blocks={item.content} disclosureKey={`prompt ${item.promptId}`} />
      )}
    </article>
  );
}
