import type { SessionMessageItem } from "../view/item.ts";
import { appendBlock, blockOf, blocksOf } from "./content.ts";
import type { Draft, Mutable } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, findGrowing, newItem } from "./thread.ts";
import { arrayOf, patchedString, stringOf, type Raw } from "./value.ts";

/** Unstable `session_message`: what agents say to each other, one item by id. */
export function foldSessionMessage(draft: Draft, where: Where, update: Raw): boolean {
  const item = messageOf(draft, where, update);
  if (item === undefined) return false;
  item.senderSessionId = patchedString(item.senderSessionId, update["senderSessionId"]);
  item.recipientSessionId = patchedString(item.recipientSessionId, update["recipientSessionId"]);
  if (update["content"] === null || arrayOf(update["content"]) !== null) {
    item.content = blocksOf(update["content"]);
  }
  return true;
}

export function foldSessionMessageChunk(draft: Draft, where: Where, update: Raw): boolean {
  const block = blockOf(update["content"]);
  const item = block === null ? undefined : messageOf(draft, where, update);
  if (block === null || item === undefined) return false;
  const content = draft.list(item.content);
  appendBlock(draft, content, block);
  item.content = content;
  return true;
}

function messageOf(
  draft: Draft,
  where: Where,
  update: Raw,
): Mutable<SessionMessageItem> | undefined {
  const messageId = stringOf(update["messageId"]);
  if (messageId === null) return undefined;
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
