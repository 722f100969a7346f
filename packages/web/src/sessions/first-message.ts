import type { Session } from "@landline/client";
import { capabilitiesIn, obstacleIn } from "../message/attachment.ts";
import { isEmpty, type Written } from "../message/prompt-blocks.ts";
import { send, write, writtenAt } from "../message/written.ts";

/**
 * Sends what a conversation begins with. Files wait in its composer until it is known what its agent takes. What the
 * agent does not take stays there with the words, and the composer says why.
 */
export function sendFirst(session: Session, written: Written): void {
  if (isEmpty(written)) return;
  if (written.attachments.length === 0) {
    send(session, written, null);
    return;
  }
  write(session.id, written);
  const look = () => {
    const { state, view } = session.getSnapshot();
    const capabilities = view && capabilitiesIn(view);
    const isLost = state === "gone" || state === "failed" || view?.agent.state === "exited";
    if (capabilities === null && !isLost && isUntouched(session.id, written)) return;
    stop();
    const canSend = capabilities !== null && obstacleIn(written.attachments, capabilities) === null;
    if (canSend && isUntouched(session.id, written)) send(session, written, capabilities);
  };
  const stop = session.subscribe(look);
  look();
}

/** Neither changed nor sent by hand meanwhile. */
function isUntouched(place: string, { text, attachments }: Written): boolean {
  const now = writtenAt(place);
  return now.text === text && now.attachments === attachments;
}
