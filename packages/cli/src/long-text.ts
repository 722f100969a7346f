import type { SessionEvent, UnknownEvent } from "@landline/protocol";
import type { GatewayClient } from "./client.ts";

/**
 * Puts back the text of a message that was too long for a line of the log. Other long texts are not shown
 * by a command, and stay where they are.
 */
export async function withLongText(
  event: SessionEvent | UnknownEvent,
  sessionId: string,
  client: GatewayClient,
): Promise<SessionEvent | UnknownEvent> {
  if (event.kind !== "update") return event;
  const update = event["update"] as Readonly<Record<string, unknown>>;
  const content = update["content"] as { readonly text?: unknown } | null | undefined;
  const { $blob: hash } = ((content ?? {}).text ?? {}) as { readonly $blob?: unknown };
  if (typeof hash !== "string") return event;
  const address = `/api/blobs/${encodeURIComponent(hash)}?session=${encodeURIComponent(sessionId)}`;
  const text = await client.getText(address);
  return { ...event, update: { ...update, content: { ...content, text } } };
}
