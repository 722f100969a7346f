import { LandlineError, toRpcError } from "@landline/protocol";
import type { OversizedLine } from "@landline/system/line-splitter";
import { readMessageId } from "@landline/system/oversized-message";
import type { Message } from "./json-rpc.ts";

/**
 * What is sent in place of a message of the editor that the gateway would not read: an error to the editor for a request,
 * and to the gateway for a response. Null if the message has no id that could be found.
 */
export function answerOversized(
  line: OversizedLine,
  messageBytes: number,
): { readonly to: "editor" | "gateway"; readonly answer: Message } | null {
  const found = readMessageId(line);
  if (!found) return null;
  const { type, id } = found;
  const error = toRpcError(messageTooLarge(messageBytes));
  return {
    to: type === "request" ? "editor" : "gateway",
    answer: { jsonrpc: "2.0", id, error: { ...error } },
  };
}

export function messageTooLarge(messageBytes: number): LandlineError {
  return new LandlineError("message-too-large", {
    message: `The gateway reads messages of at most ${messageBytes} bytes.`,
  });
}
