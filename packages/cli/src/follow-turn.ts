import {
  decodeLine,
  type SessionEvent,
  type TurnEnded,
  type UnknownEvent,
} from "@landline/protocol";
import type { GatewayClient } from "./client.ts";
import { withLongText } from "./long-text.ts";

export interface TurnRequest {
  readonly client: GatewayClient;
  readonly sessionId: string;
  readonly promptId: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** Every event from the cursor to the end of the turn, with its line as it stands in the log. */
  readonly onEvent: (event: SessionEvent | UnknownEvent, line: string) => void;
}

/** Follows the session until the turn of that prompt is over, and says how it ended. */
export async function followTurn(request: TurnRequest): Promise<TurnEnded["stopReason"]> {
  const { client, sessionId, promptId, after, signal } = request;
  let turnId: string | null = null;
  for await (const { line } of client.events({ sessionId, after, signal })) {
    const event = (await withLongText(decodeLine(line), sessionId, client)) as SessionEvent;
    request.onEvent(event, line);
    if (event.kind === "turn-started" && event.promptId === promptId) turnId = event.turnId;
    if (event.kind === "turn-ended" && event.turnId === turnId) return event.stopReason;
    if (event.kind === "prompt-withdrawn" && event.promptId === promptId) return "cancelled";
    if (event.kind === "session-closed") return "interrupted";
  }
  // Nobody waits for the end any more.
  return "cancelled";
}
