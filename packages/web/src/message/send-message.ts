import type { Session } from "@landline/client";
import { LandlineError } from "@landline/protocol";
import { showError } from "../state/run-command.ts";
import type { PromptCapabilities } from "./attachment.ts";
import { emptyDraft } from "./draft-storage.ts";
import { draftOf, writeDraft } from "./drafts.ts";
import { newId } from "./new-id.ts";
import { blocksOf, isEmpty, type MessageContent } from "./prompt-blocks.ts";
import { attachmentsOf, setAttachments } from "./use-attachments.ts";

/** The draft and attachments at a place: a session id or `newConversation`. */
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

/** Removes what was sent and keeps what was written since. */
export function clearSentContent(place: string, sent: MessageContent): void {
  if (draftOf(place).text === sent.text) writeDraft(place, emptyDraft);
  setAttachments(
    place,
    attachmentsOf(place).filter((one) => !sent.attachments.includes(one)),
  );
}

/** Sends and clears the message. A rejected message is restored, unless the field has new text. */
export function sendMessage(
  session: Session,
  written: MessageContent,
  capabilities: PromptCapabilities,
): void {
  const promptId = newId();
  clearSentContent(session.id, written);
  session.prompt(blocksOf(written, capabilities), promptId).catch((error: unknown) => {
    // Rejected but stored in the outbox: the queue shows it and the reason.
    const { outgoing } = session.getSnapshot();
    if (outgoing.some((prompt) => prompt.promptId === promptId)) return;
    // Withdrawn before it was sent: the person did this and can undo it.
    if (error instanceof LandlineError && error.code === "request-cancelled") return;
    showError(error);
    if (isEmpty(messageContentAt(session.id))) setMessageContent(session.id, written);
  });
}
