import type { Session } from "@landline/client";
import { capabilitiesIn, attachmentProblem } from "../message/attachment.ts";
import { isEmpty, type MessageContent } from "../message/prompt-blocks.ts";
import { sendMessage, setMessageContent, messageContentAt } from "../message/send-message.ts";

/**
 * Sends the first message of a session. Attachments wait in the composer until the agent's capabilities are known.
 * What the agent does not accept stays there with the text.
 */
export function sendFirstMessage(session: Session, written: MessageContent): void {
  if (isEmpty(written)) return;
  if (written.attachments.length === 0) {
    sendMessage(session, written, null);
    return;
  }
  setMessageContent(session.id, written);
  const look = () => {
    const { state, view } = session.getSnapshot();
    const capabilities = view && capabilitiesIn(view);
    const isLost = state === "gone" || state === "failed" || view?.agent.state === "exited";
    if (capabilities === null && !isLost && isUntouched(session.id, written)) return;
    stop();
    const canSend =
      capabilities !== null && attachmentProblem(written.attachments, capabilities) === null;
    if (canSend && isUntouched(session.id, written)) sendMessage(session, written, capabilities);
  };
  const stop = session.subscribe(look);
  look();
}

/** Neither changed nor sent meanwhile. */
function isUntouched(place: string, { text, attachments }: MessageContent): boolean {
  const now = messageContentAt(place);
  return now.text === text && now.attachments === attachments;
}
