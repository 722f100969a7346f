import { LandlineError } from "@landline/protocol";
import { eventsEncoder, jsonFrame } from "../framing.ts";
import type { Peer } from "../peer.ts";
import { snapshotFrame, type SnapshotFrame } from "../snapshot-frames.ts";
import type { Implementations } from "./operation.ts";

/** Following the events of a session over a WebSocket. */
export const attachOperations = {
  attach: async ({ sessionId, after = 0 }, { peer, reply, findSession }) => {
    peer.attachments.mustTake(sessionId);
    const { log } = await findSession(sessionId);
    // It may have taken others in while this one was looked for.
    peer.attachments.mustTake(sessionId);
    const { visible: head } = log;
    if (after > head) throw gap(peer, sessionId, head);
    const snapshot = snapshotFor(peer, sessionId, head, after);
    const attached = { sessionId, head, from: snapshot ? "snapshot" : "tail" } as const;
    peer.writer.together(() => {
      peer.attachments.remove(sessionId);
      peer.writer.send(snapshot?.frame ?? jsonFrame({ type: "attached", ...attached }));
      peer.attachments.add({
        log,
        after: snapshot?.seq ?? after,
        writer: peer.writer,
        encode: eventsEncoder(sessionId),
        ended: (error) => onEnd(peer, sessionId, error),
      });
      reply(attached);
    });
  },
  detach: ({ sessionId }, { peer, reply }) => {
    peer.attachments.remove(sessionId);
    reply({});
  },
} satisfies Partial<Implementations>;

function snapshotFor(
  { services }: Peer,
  sessionId: string,
  head: number,
  after: number,
): SnapshotFrame | null {
  if (head - after <= services.limits.attachEvents) return null;
  try {
    return snapshotFrame(services, sessionId, { head, after });
  } catch (error) {
    // The log has it all: what is derived from it only makes it quicker.
    services.logger.warn("a snapshot could not be read", { sessionId, error });
    return null;
  }
}

/** Says that the log can't serve the cursor, and returns the refusal of the command that had it. */
function gap({ writer }: Peer, sessionId: string, head: number): LandlineError {
  writer.send(jsonFrame({ type: "gap", sessionId, head }));
  return new LandlineError("cursor-ahead", { data: { sessionId, head } });
}

/** A log that was deleted is a session that is gone; one that can't be read is a gap. */
function onEnd({ writer, services }: Peer, sessionId: string, error?: Error): void {
  if (!error) {
    writer.send(jsonFrame({ type: "sessions", sessions: [], gone: [sessionId] }));
    return;
  }
  services.logger.error("a log could not be followed", { sessionId, error });
  writer.send(jsonFrame({ type: "gap", sessionId, head: 0 }));
}
