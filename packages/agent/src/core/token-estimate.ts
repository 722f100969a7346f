import type { ToolEnded } from "./record.ts";

/** Four characters per token: accurate enough to decide when to summarise, for every provider. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** What providers count for a large image. */
const pictureTokens = 1_500;
/** Base64 characters per token of a document or recording, roughly. */
const charactersPerToken = 40;

export function mediaTokens({ mimeType, data }: { mimeType: string; data: string }): number {
  if (mimeType.startsWith("image/")) return pictureTokens;
  return Math.max(pictureTokens, Math.ceil(data.length / charactersPerToken));
}

export function resultTokens({ output, attachments = [] }: ToolEnded): number {
  return attachments.reduce((sum, each) => sum + mediaTokens(each), estimateTokens(output));
}
