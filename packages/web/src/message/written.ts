import type { Session } from "@landline/client";
import { LandlineError } from "@landline/protocol";
import { showError } from "../state/run-command.ts";
import type { PromptCapabilities } from "./attachment.ts";
import { emptyDraft } from "./draft.ts";
import { draftOf, writeDraft } from "./drafts.ts";
import { newId } from "./new-id.ts";
import { blocksOf, isEmpty, type Written } from "./prompt-blocks.ts";
import { attachmentsOf, keepAttachments } from "./use-attachments.ts";

/** All that is written at a place, which is a session's id or `newConversation`. */
export function writtenAt(place: string): Written {
  return { ...draftOf(place), attachments: attachmentsOf(place) };
}

export function write(place: string, { text, mentions, attachments }: Written): void {
  writeDraft(place, { text, mentions });
  keepAttachments(place, attachments);
}

/** Takes away what was sent; what was written since stays. */
export function clear(place: string, sent: Written): void {
  if (draftOf(place).text === sent.text) writeDraft(place, emptyDraft);
  keepAttachments(
    place,
    attachmentsOf(place).filter((one) => !sent.attachments.includes(one)),
  );
}

/** What can't be taken is put back to where it was written, unless something else is there. */
export function send(session: Session, written: Written, capabilities: PromptCapabilities): void {
  const promptId = newId();
  clear(session.id, written);
  session.prompt(blocksOf(written, capabilities), promptId).catch((error: unknown) => {
    // Refused and kept: the queue shows it, and why.
    const { outgoing } = session.getSnapshot();
    if (outgoing.some((prompt) => prompt.promptId === promptId)) return;
    // Withdrawn before it was sent: who did that has been told, and can put it back.
    if (error instanceof LandlineError && error.code === "request-cancelled") return;
    showError(error);
    if (isEmpty(writtenAt(session.id))) write(session.id, written);
  });
}
