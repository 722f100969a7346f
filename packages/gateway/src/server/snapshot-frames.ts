import { textFrame } from "./framing.ts";
import type { Services } from "./services.ts";
import { viewText } from "./view-text.ts";

export interface SnapshotFrame {
  readonly frame: Buffer;
  /** The sequence number of its last event. */
  readonly seq: number;
}

interface Kept {
  readonly seq: number;
  readonly head: number;
  readonly frame: WeakRef<Buffer>;
}

/** Frames that at least one socket still has to send, by session. */
const kept = new WeakMap<Services, Map<string, Kept>>();
const KEPT_MOST = 1_000;

/**
 * The `attached` frame with the latest snapshot after a sequence number, or null. Slow sockets share one buffer, so
 * that a client with many sockets does not hold many large frames.
 */
export function snapshotFrame(
  services: Services,
  sessionId: string,
  { head, after }: { readonly head: number; readonly after: number },
): SnapshotFrame | null {
  const seq = services.indexDatabase.snapshotSeq(sessionId);
  if (seq <= after || seq > head) return null;
  const frames = kept.get(services) ?? new Map<string, Kept>();
  kept.set(services, frames);
  const known = frames.get(sessionId);
  const shared = known?.seq === seq && known.head === head ? known.frame.deref() : undefined;
  if (shared) return { frame: shared, seq };
  const snapshot = services.indexDatabase.snapshotAt(sessionId);
  if (!snapshot || snapshot.seq <= after || snapshot.seq > head) return null;
  const facts = JSON.stringify({ type: "attached", sessionId, head, from: "snapshot" });
  const view = viewText(snapshot.view, services.limits.viewBytes);
  const frame = textFrame(`${facts.slice(0, -1)},"view":${view.toString()}}`);
  if (frames.size >= KEPT_MOST) frames.clear();
  frames.set(sessionId, { seq: snapshot.seq, head, frame: new WeakRef(frame) });
  return { frame, seq: snapshot.seq };
}
