import { blockText } from "../../block-text.ts";
import type { RawUpdate } from "../../events.ts";
import { isRecord } from "../../record.ts";
import { readToolCall, type ToolCallFields, type UpdateReading } from "../../update-reading.ts";
import { defined } from "./projection.ts";

/** Conversions of updates that both dialects share. */

export type ReadingOf<Kind extends UpdateReading["kind"]> = Extract<
  UpdateReading,
  { readonly kind: Kind }
>;
export type ChunkReading = ReadingOf<"message-chunk">;

/** The text of a chunk, and its block if that is more than the text. */
export function chunkParts({ update, messageId }: ChunkReading) {
  const block = update["content"];
  const text = blockText(block);
  const isText = isRecord(block) && block["type"] === "text" && block["text"] === text;
  return { text, block: isText ? undefined : block, messageId: messageId ?? undefined };
}

export interface ToolStep {
  readonly step: "started" | "changed" | "ended";
  readonly call: ToolCallFields;
}

/** A tool call that arrives already ended has two steps: start and end. */
export function toolSteps({ source, update }: ReadingOf<"tool-call">): readonly ToolStep[] {
  const call = readToolCall(update);
  if (call === undefined) return [];
  const isEnded = call.status === "completed" || call.status === "failed";
  const end: readonly ToolStep[] = isEnded ? [{ step: "ended", call }] : [];
  if (source === "call") return [{ step: "started", call }, ...end];
  return isEnded ? end : [{ step: "changed", call }];
}

export function infoFields({ title, updatedAt }: ReadingOf<"session-info">) {
  return defined({ title, updatedAt });
}

/** The fields of an update, without its kind. */
export function updateFields({ update }: UpdateReading): RawUpdate {
  const { sessionUpdate: _sessionUpdate, ...fields } = update;
  return fields;
}
