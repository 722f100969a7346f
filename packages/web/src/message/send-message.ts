import type { Session } from "@landline/client";
import { LandlineError } from "@landline/protocol";
import { showError } from "../state/run-command.ts";
import type { PromptCapabilities } from "./attachment.ts";
import { emptyDraft } from "./draft-storage.ts";
import { draftOf, writeDraft } from "./drafts.ts";
import { newId } from "./new-id.ts";
import { blocksOf, isEmpty, type MessageContent } from "./prompt-blocks.ts";
import { attachmentsOf, setAttachments } from "./use-attachments.ts";

/** All that is written at a place, which is a session's id or `newConversation`. */
export function messageContentAt(place: string): MessageContent {
  return { ...draftOf(place), attachments: attachmentsOf(place) };
}

export function setMessageContent(
  place: string,
  { text, mentions, attachments }: MessageContent,
): void {
  writeDraft(place, { text, mentions });
  setAttachments(place, attachments);
}

/** Takes away what was sent; what was written since stays. */
export function clearSentContent(place: string, sent: MessageContent): void {
  if (draftOf(place).text === sent.text) writeDraft(place, emptyDraft);
  setAttachments(
    place,
    attachmentsOf(place).filter((one) => !sent.attachments.includes(one)),
  );
}

/** What can't be taken is put back to where it was written, unless something else is there. */
export function sendMessage(
  session: Session,
  written: MessageContent,
  capabilities: PromptCapabilities,
): void {
  const promptId = newId();
  clearSentContent(session.id, written);
  session.prompt(blocksOf(written, capabilities), promptId).catch((error: unknown) => {
    // Refused and kept: the queue shows it, and why.
    const { outgoing } = session.getSnapshot();
    if (outgoing.some((prompt) => prompt.promptId === promptId)) return;
    // Withdrawn before it was sent: who did that has been told, and can put it back.
    if (error instanceof LandlineError && error.code === "request-cancelled") return;
    showError(error);
    if (isEmpty(messageContentAt(session.id))) setMessageContent(session.id, written);
  });
}
