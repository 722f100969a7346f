import type { Block } from "../view/item.ts";
import { appendBlock, textContinues } from "./content.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, changeItem, findGrowing, newItem, threadAt } from "./thread.ts";
import type { MessageChunk } from "../update-reading.ts";

type Voice = MessageChunk["voice"];

/**
 * Joins message and thought chunks. A chunk with a `messageId` extends that item while it can grow (`growing.ts`). A
 * chunk without one extends the last item of the thread if it has the same role.
 */
export function foldChunk(
  draft: Draft,
  where: Where,
  { voice, block, messageId }: MessageChunk,
): void {
  if (voice === "user" && where === "root" && isEcho(draft, block)) return;
  const position = whereToJoin(draft, where, voice, messageId);
  if (position === undefined) startMessage(draft, where, voice, messageId, block);
  else joinMessage(draft, where, voice, position, block);
}

function whereToJoin(
  draft: Draft,
  where: Where,
  voice: Voice,
  messageId: string | null,
): number | undefined {
  const type = voice === "thought" ? "thought" : "message";
  if (messageId !== null) return findGrowing(draft, where, type, `${voice} ${messageId}`);
  const items = threadAt(draft, where)?.items ?? [];
  const last = items.at(-1);
  if (last === undefined || last.type !== type) return undefined;
  if (last.type === "message" && last.role !== voice) return undefined;
  return items.length - 1;
}

function startMessage(
  draft: Draft,
  where: Where,
  voice: Voice,
  messageId: string | null,
  block: Block,
): void {
  const content: Block[] = draft.adopt([]);
  appendBlock(draft, content, block);
  appendItem(
    draft,
    where,
    voice === "thought"
      ? { ...newItem(draft, "thought"), messageId, content }
      : { ...newItem(draft, "message"), role: voice, messageId, content },
  );
}

function joinMessage(draft: Draft, where: Where, voice: Voice, position: number, block: Block) {
  const item = changeItem(draft, where, position, voice === "thought" ? "thought" : "message");
  if (item === undefined) return;
  const content = draft.list(item.content);
  appendBlock(draft, content, block);
  item.content = content;
}

/**
 * Agents may echo the prompt during its turn. A chunk that continues the prompt's text or repeats one of its blocks
 * is dropped; any other is a new message.
 */
function isEcho(draft: Draft, block: Block): boolean {
  const promptId = draft.view.turn.promptId;
  const position = promptId === null ? null : draft.lookup.prompts.get(promptId);
  if (position === null || position === undefined) return false;
  const prompt = draft.view.items[position];
  if (prompt?.type !== "prompt") return false;
  if (block.type !== "text") return prompt.content.some((known) => known.type === block.type);
  if (textContinues(prompt.content, prompt.echoedLength, block.text)) {
    const item = changeItem(draft, "root", position, "prompt");
    if (item !== undefined) item.echoedLength += block.text.length;
    return true;
  }
  return prompt.content.some((known) => known.type === "text" && known.text === block.text);
}
