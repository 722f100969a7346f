import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ModelInfo } from "../model/model.ts";

export interface Media {
  mimeType: string;
  /** Base64. */
  data: string;
}

/** The media of a prompt's block; null when it has none. */
export function mediaOf(block: ContentBlock | undefined): Media | null {
  if (block?.type === "image" || block?.type === "audio") {
    return { mimeType: plainType(block.mimeType), data: block.data };
  }
  if (block?.type !== "resource" || !("blob" in block.resource)) return null;
  const { mimeType, blob: data } = block.resource;
  return { mimeType: plainType(mimeType ?? "application/octet-stream"), data };
}

/** Types that every provider accepts. An image of another type would fail every later request. */
const pictures: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

export function takes(model: ModelInfo, mimeType: string): boolean {
  const type = plainType(mimeType);
  if (type.startsWith("image/")) return model.takes.image && pictures.has(type);
  if (type.startsWith("audio/")) return model.takes.audio;
  return type === "application/pdf" && model.takes.document;
}

export function plainType(mimeType: string): string {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return type === "image/jpg" ? "image/jpeg" : type;
}

const textTypes = /^text\/|^application\/(json|xml|javascript|yaml|toml|sql)$|\+(json|xml)$/u;

/** The text of a file that a client sent as bytes; null when it is not text. */
export function textOf({ mimeType, data }: Media): string | null {
  if (!textTypes.test(mimeType) || mimeType.startsWith("image/")) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
  } catch {
    return null;
  }
}
