import type { SessionMessageReading } from "../update-reading.ts";
import type { Block, SessionMessageItem } from "../view/item.ts";
import { appendBlock } from "./content.ts";
import type { Draft, Mutable } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, findGrowing, newItem } from "./thread.ts";

/** Adds one item per message id. */
export function foldSessionMessage(
  draft: Draft,
  where: Where,
  { messageId, senderSessionId, recipientSessionId, content }: SessionMessageReading,
): void {
  const item = messageWith(draft, where, messageId);
  if (item === undefined) return;
  if (senderSessionId !== undefined) item.senderSessionId = senderSessionId;
  if (recipientSessionId !== undefined) item.recipientSessionId = recipientSessionId;
  if (content !== undefined) item.content = content;
}

export function foldSessionMessageChunk(
  draft: Draft,
  where: Where,
  { messageId, block }: { readonly messageId: string; readonly block: Block },
): void {
  const item = messageWith(draft, where, messageId);
  if (item === undefined) return;
  const content = draft.list(item.content);
  appendBlock(draft, content, block);
  item.content = content;
}

function messageWith(
  draft: Draft,
  where: Where,
  messageId: string,
): Mutable<SessionMessageItem> | undefined {
  const position =
    findGrowing(draft, where, "session-message", `session ${messageId}`) ??
    appendItem(draft, where, {
      ...newItem(draft, "session-message"),
      messageId,
      senderSessionId: null,
      recipientSessionId: null,
      content: [],
    });
  return changeItem(draft, where, position, "session-message");
}
