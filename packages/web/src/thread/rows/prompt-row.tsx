import type { PromptItem } from "@landline/protocol";
import { Blocks } from "../../content/blocks.tsx";
import { useMe } from "../../state/session.tsx";

/** Your words, or somebody else's: then with their name. */
export function PromptRow({ item }: { readonly item: PromptItem }) {
  const me = useMe();
  const isMine = me === null || item.by === null || item.by === me.clientId;
  return (
    <article aria-label="Prompt" className="rounded-card bg-raised px-3 py-2">
      {isMine ? null : (
        <p className="text-xs font-medium text-soft">{me.people[item.by] ?? "Somebody else"}</p>
      )}
      {item.content.length === 0 ? (
        <p className="text-soft">A prompt from before what is shown here</p>
      ) : (
        <Blocks blocks={item.content} />
      )}
    </article>
  );
}
