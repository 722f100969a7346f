import { LandlineError } from "@landline/protocol";
import type { RefObject } from "react";
import { toast } from "sonner";
import { showFailure } from "../state/act.ts";
import { usePart, useThisSession, useView } from "../state/session.tsx";
import type { PromptCapabilities } from "./attachment.ts";
import { emptyDraft } from "./draft.ts";
import type { Mention } from "./mention.ts";
import { newId } from "./new-id.ts";
import { blocksOf, isEmpty } from "./prompt-blocks.ts";
import { useAttachments } from "./use-attachments.ts";
import { useDraft } from "./use-draft.ts";

const takesNothing: NonNullable<PromptCapabilities> = {};

/** What is being written, and how it is sent. What can't be taken is put back. */
export function useMessage(field: RefObject<HTMLTextAreaElement | null>) {
  const session = useThisSession();
  const line = usePart((snapshot) => snapshot.state);
  const capabilities = useView<PromptCapabilities>(
    ({ agent }) => agent.capabilities && (agent.capabilities.promptCapabilities ?? takesNothing),
    null,
  );
  const [draft, setDraft, latest] = useDraft(session.id);
  const files = useAttachments(session.id, capabilities);
  const written = { ...draft, attachments: files.attachments };
  const isNothing = isEmpty(written);
  const isGone = line === "gone" || line === "failed";
  const canSend = !isNothing && !isGone && files.reading === 0;

  const send = () => {
    if (!canSend) return;
    const promptId = newId();
    setDraft(emptyDraft);
    files.replace([]);
    field.current?.focus();
    session.prompt(blocksOf(written, capabilities), promptId).catch((error: unknown) => {
      // Refused and kept: the queue shows it, and why.
      const { outgoing } = session.getSnapshot();
      if (outgoing.some((prompt) => prompt.promptId === promptId)) return;
      // Withdrawn before it was sent: who did that has been told, and can put it back.
      if (error instanceof LandlineError && error.code === "request-cancelled") return;
      showFailure(error);
      if (field.current?.value !== "") return;
      setDraft(draft);
      files.replace(written.attachments);
    });
  };

  /** Words for a prompt that waited and does no more: nothing that was written is lost. */
  const takeBack = (words: string, promptId: string) => {
    const { text, mentions } = latest();
    setDraft({ text: text.trim() === "" ? words : `${text}\n\n${words}`, mentions });
    const isWaiting = session.getSnapshot().view?.queue.some((one) => one.promptId === promptId);
    if (isWaiting !== true)
      toast("That message is no longer in the queue.", {
        description: "Your words are in the field.",
      });
  };

  const write = (text: string, mention?: Mention) =>
    setDraft({ text, mentions: mention ? [...draft.mentions, mention] : draft.mentions });

  return { draft, write, takeBack, files, isNothing, canSend, send };
}
