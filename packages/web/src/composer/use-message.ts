import type { RefObject } from "react";
import { toast } from "sonner";
import { capabilitiesIn, type PromptCapabilities } from "../message/attachment.ts";
import { draftOf, useDraft, writeText } from "../message/drafts.ts";
import type { Mention } from "../message/mention.ts";
import { isEmpty } from "../message/prompt-blocks.ts";
import { useAttachments } from "../message/use-attachments.ts";
import { sendMessage } from "../message/send-message.ts";
import { useSnapshotPart, useThisSession, useView } from "../state/session.tsx";

/** The draft of the session, and how to send it. */
export function useMessage(field: RefObject<HTMLTextAreaElement | null>) {
  const session = useThisSession();
  const line = useSnapshotPart((snapshot) => snapshot.state);
  const capabilities = useView<PromptCapabilities>(capabilitiesIn, null);
  const draft = useDraft(session.id);
  const files = useAttachments(session.id, capabilities);
  const written = { ...draft, attachments: files.attachments };
  const isNothing = isEmpty(written);
  const isGone = line === "gone" || line === "failed";
  const canSend = !isNothing && !isGone && files.reading === 0 && files.obstacle === null;

  const send = () => {
    if (!canSend) return;
    field.current?.focus();
    sendMessage(session, written, capabilities);
  };

  /** Appends the edited text of a prompt that left the queue, so that nothing is lost. */
  const takeBack = (words: string, promptId: string) => {
    const { text } = draftOf(session.id);
    writeText(session.id, text.trim() === "" ? words : `${text}\n\n${words}`);
    const isWaiting = session.getSnapshot().view?.queue.some((one) => one.promptId === promptId);
    if (isWaiting !== true)
      toast("That message is no longer in the queue.", {
        description: "Your text is in the message field.",
      });
  };

  const write = (text: string, mention?: Mention) => writeText(session.id, text, mention);

  return { draft, write, takeBack, files, isNothing, canSend, send };
}
