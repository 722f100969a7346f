import type { ContentBlock } from "@agentclientprotocol/sdk";
import { blobOf } from "./raw-value.ts";
import { isList, isRecord, type RawRecord } from "./record.ts";

/** A prompt: a text or content blocks of ACP. */
export type PromptContent = string | readonly ContentBlock[];

export function contentBlocks(content: PromptContent): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/**
 * Content as plain text, for dialects whose `content` is a string. A block without text becomes a name in square
 * brackets, and the frame has the block as well.
 */
export function blockText(block: unknown): string {
  if (!isRecord(block)) return textOf(block);
  switch (block["type"]) {
    case "text":
      return textOf(block["text"]);
    case "image":
    case "audio":
      return named(block["type"], block["mimeType"]);
    case "resource_link":
      return linkText(block);
    case "resource":
      return resourceText(block["resource"]);
    default:
      return named("content", block["type"]);
  }
}

export function blocksText(blocks: unknown): string {
  return isList(blocks) ? blocks.map(blockText).join("\n") : blockText(blocks);
}

/** The content of a tool call as text: blocks, diffs and terminals. */
export function toolContentText(items: unknown): string {
  return isList(items) ? items.map(toolItemText).join("\n") : "";
}

/** A string, or a placeholder for a blob. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const blob = blobOf(value);
  return blob === null ? "" : named("blob", blob.$blob);
}

function toolItemText(item: unknown): string {
  if (!isRecord(item)) return "";
  switch (item["type"]) {
    case "content":
      return blockText(item["content"]);
    case "diff":
      return named("diff", item["path"]);
    case "terminal":
      return named("terminal", item["terminalId"]);
    default:
      return named("content", item["type"]);
  }
}

function linkText(link: RawRecord): string {
  const uri = textOf(link["uri"]);
  return `[${textOf(link["title"]) || textOf(link["name"]) || uri}](${uri})`;
}

function resourceText(resource: unknown): string {
  if (!isRecord(resource)) return named("resource", undefined);
  return resource["text"] === undefined
    ? named("resource", resource["uri"])
    : textOf(resource["text"]);
}

function named(what: string, detail: unknown): string {
  return typeof detail === "string" && detail !== "" ? `[${what}: ${detail}]` : `[${what}]`;
}
