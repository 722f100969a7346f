import { LandlineError } from "../../errors.ts";
import type { Hits } from "./hits.ts";
import type { RawRecord } from "../../record.ts";

/** Methods without a response. The last two are of seed 002 and are counted and ignored. */
const notifications: ReadonlySet<unknown> = new Set([
  "session/update",
  "session/cancel",
  "elicitation/complete",
  "$/cancel_request",
  "session/end_turn",
  "auth_complete",
]);

/**
 * Normalises the envelope. Seed 003 sends notifications with an `id` of null, which JSON-RPC would answer; it is
 * removed for methods that are notifications. A message that is both a request and a response is refused.
 */
export function normaliseMessage(message: RawRecord, hits?: Hits): RawRecord {
  if (message["method"] === undefined) return message;
  if (message["result"] !== undefined || message["error"] !== undefined) {
    throw new LandlineError("invalid-request", {
      message: "The message has a method and a result or an error.",
      help: "Send a request or notification (method), or a response (result or error).",
    });
  }
  if (message["id"] !== null || !notifications.has(message["method"])) return message;
  hits?.count("message-id");
  const { id: _id, ...rest } = message;
  return rest;
}
