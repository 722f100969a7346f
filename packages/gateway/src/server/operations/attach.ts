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
    // Other sessions may have been attached during the lookup.
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
    // The log has all events; the snapshot is only an optimization.
    services.logger.warn("A snapshot could not be read.", { sessionId, error });
    return null;
  }
}

/** Sends `gap`, because the log cannot serve the cursor, and returns the error for the command. */
function gap({ writer }: Peer, sessionId: string, head: number): LandlineError {
  writer.send(jsonFrame({ type: "gap", sessionId, head }));
  return new LandlineError("cursor-ahead", { data: { sessionId, head } });
}

/** A deleted log means a deleted session; an unreadable log means a gap. */
function onEnd({ writer, services }: Peer, sessionId: string, error?: Error): void {
  if (!error) {
    writer.send(jsonFrame({ type: "sessions", sessions: [], gone: [sessionId] }));
    return;
  }
  services.logger.error("A log could not be followed.", { sessionId, error });
  writer.send(jsonFrame({ type: "gap", sessionId, head: 0 }));
}
