import type { ContentBlock as AcpContentBlock } from "@agentclientprotocol/sdk";
import type {
  CallToolResult,
  ContentBlock,
  ReadResourceResult,
} from "@modelcontextprotocol/client";
import type { Attachment } from "../core/record.ts";
import type { ToolContent, ToolResult } from "../tools/tool.ts";

/** Maximum size of an image, audio or document. A larger one is omitted, with a note. */
const attachmentBytesMax = 5 * 1_024 * 1_024;

/** A server's result, as the model reads it and as the user sees it. */
export type Converted = Required<Pick<ToolResult, "output" | "attachments" | "content">>;

/** Unknown content becomes a note. */
export function convertResult(result: CallToolResult): Converted {
  const converted = collect(result.content.map(convertBlock));
  if (converted.output !== "" || result.structuredContent === undefined) return converted;
  const data = convertText(JSON.stringify(result.structuredContent, null, 2));
  return collect([...result.content.map(convertBlock), data]);
}

export function convertResource(result: ReadResourceResult): Converted {
  return collect(result.contents.map((resource) => convertBlock({ type: "resource", resource })));
}

/** A prompt's messages as one text for the person's own prompt. */
export function textOfBlocks(blocks: readonly ContentBlock[]): string {
  return collect(blocks.map(convertBlock)).output;
}

interface Piece {
  text: string;
  attachment?: Attachment;
  shown: AcpContentBlock;
}

function collect(pieces: readonly Piece[]): Converted {
  return {
    output: pieces
      .map((piece) => piece.text)
      .filter((text) => text !== "")
      .join("\n"),
    attachments: pieces.flatMap((piece) => piece.attachment ?? []),
    content: pieces.map((piece): ToolContent => ({ type: "content", content: piece.shown })),
  };
}

function convertBlock(block: ContentBlock): Piece {
  switch (block.type) {
    case "text":
      return convertText(block.text);
    case "image":
    case "audio":
      return convertData(block.data, block.mimeType, block.type);
    case "resource_link": {
      const { uri, name, description, mimeType } = block;
      const about = description === undefined ? "" : ` (${description})`;
      return {
        text: `${name}: ${uri}${about}`,
        shown: {
          type: "resource_link",
          uri,
          name,
          ...(description !== undefined && { description }),
          ...(mimeType !== undefined && { mimeType }),
        },
      };
    }
    case "resource":
      return convertEmbedded(block.resource);
    default:
      return convertText(`[Content of an unknown type: ${(block as { type: string }).type}]`);
  }
}

function convertText(text: string): Piece {
  return { text, shown: { type: "text", text } };
}

function convertEmbedded(resource: ReadResourceResult["contents"][number]): Piece {
  const { uri, mimeType } = resource;
  if ("text" in resource) {
    const about = mimeType === undefined ? {} : { mimeType };
    return {
      text: `<resource uri="${uri}">\n${resource.text}\n</resource>`,
      shown: { type: "resource", resource: { uri, text: resource.text, ...about } },
    };
  }
  const kind = mimeType?.startsWith("image/")
    ? "image"
    : mimeType?.startsWith("audio/")
      ? "audio"
      : "document";
  return convertData(resource.blob, mimeType ?? "application/octet-stream", kind, uri);
}

function convertData(
  data: string,
  mimeType: string,
  kind: "image" | "audio" | "document",
  uri?: string,
): Piece {
  const name = uri === undefined ? "" : ` ${uri}`;
  // Four characters of base64 are three bytes.
  if (data.length > (attachmentBytesMax * 4) / 3) {
    const most = attachmentBytesMax / 1_024 / 1_024;
    return convertText(`[${kind}${name} (${mimeType}) was left out: it is larger than ${most} MB]`);
  }
  const text = `[${kind}${name} (${mimeType})]`;
  const attachment: Attachment = { mimeType, data, ...(uri !== undefined && { name: uri }) };
  if (kind !== "document") return { text, attachment, shown: { type: kind, data, mimeType } };
  // Models accept few document types; others would fail the request.
  const readable = mimeType === "application/pdf" ? { attachment } : {};
  return {
    text,
    ...readable,
    shown: { type: "resource", resource: { uri: uri ?? "", blob: data, mimeType } },
  };
}
