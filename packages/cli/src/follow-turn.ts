import type { Api } from "@landline/client";
import type { SessionEvent, TurnEnded, UnknownEvent } from "@landline/protocol";
import { withLongText } from "./long-text.ts";
import type { SessionFeed } from "./session-feed.ts";

export interface TurnRequest {
  readonly api: Api;
  readonly feed: SessionFeed;
  readonly sessionId: string;
  readonly promptId: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** Called for every event from the cursor to the end of the turn, with its form in the log. */
  readonly onEvent: (
    event: SessionEvent | UnknownEvent,
    logged: SessionEvent | UnknownEvent,
  ) => void;
}

/** Follows the session until the turn of that prompt ends, and returns its stop reason. */
export async function followTurn(request: TurnRequest): Promise<TurnEnded["stopReason"]> {
  const { api, feed, sessionId, promptId, after, signal } = request;
  let turnId: string | null = null;
  for await (const logged of feed.events({ after, signal })) {
    const event = (await withLongText(logged, sessionId, api)) as SessionEvent;
    request.onEvent(event, logged);
    if (event.kind === "turn-started" && event.promptId === promptId) turnId = event.turnId;
    if (event.kind === "turn-ended" && event.turnId === turnId) return event.stopReason;
    if (event.kind === "prompt-withdrawn" && event.promptId === promptId) return "cancelled";
    if (event.kind === "session-closed") return "interrupted";
  }
  // The caller no longer waits for the end.
  return "cancelled";
}
