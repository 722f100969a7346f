import { LandlineError } from "../../errors.ts";
import type { Hits } from "./hits.ts";
import type { RawRecord } from "../../record.ts";

/** Methods that expect no answer; the last two are seed 002's, which are noted and ignored. */
const notifications: ReadonlySet<unknown> = new Set([
  "session/update",
  "session/cancel",
  "elicitation/complete",
  "$/cancel_request",
  "session/end_turn",
  "auth_complete",
]);

/**
 * The envelope. Seed 003 gives notifications an `id` of null, which JSON-RPC would answer: for methods
 * that are notifications it is taken away. A message that calls a method and answers one is refused.
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
