import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { toolLimits } from "../limits.ts";
import type { ModelInfo } from "../model/model.ts";
import { FileProblem } from "../workspace/workspace.ts";
import type { TargetPath } from "./target-path.ts";
import { ToolFailure, type ToolContext, type ToolResult } from "./tool.ts";

interface MediaType {
  mimeType: string;
  what: "picture" | "document";
  /** Checks the first bytes, as Latin-1. */
  looks(start: string): boolean;
}

const png: MediaType = {
  mimeType: "image/png",
  what: "picture",
  looks: (start) => start.startsWith("\x89PNG\r\n\x1A\n"),
};
const jpeg: MediaType = {
  mimeType: "image/jpeg",
  what: "picture",
  looks: (start) => start.startsWith("\xFF\xD8\xFF"),
};
const gif: MediaType = {
  mimeType: "image/gif",
  what: "picture",
  looks: (start) => /^GIF8[79]a/u.test(start),
};
const webp: MediaType = {
  mimeType: "image/webp",
  what: "picture",
  looks: (start) => start.startsWith("RIFF") && start.startsWith("WEBP", 8),
};
const pdf: MediaType = {
  mimeType: "application/pdf",
  what: "document",
  looks: (start) => start.includes("%PDF-"),
};

const types = new Map<string, MediaType>([
  [".png", png],
  [".jpg", jpeg],
  [".jpeg", jpeg],
  [".gif", gif],
  [".webp", webp],
  [".pdf", pdf],
]);

/** An image or document as an attachment; null when the content is neither, whatever the name says. */
export async function readMedia(
  target: TargetPath,
  info: ModelInfo,
  context: ToolContext,
): Promise<ToolResult | null> {
  const type = types.get(extname(target.path).toLowerCase());
  if (!type) return null;
  const bytes = await bytesOf(target, type, context);
  if (!type.looks(bytes.toString("latin1", 0, 1_024))) return null;
  const { mimeType, what } = type;
  const takes = what === "picture" ? info.takes.image : info.takes.document;
  if (!takes) {
    throw new ToolFailure(
      "binary-file",
      `${target.name} is a ${what} (${mimeType}, ${bytes.length} bytes), and ${info.name} can't look at those. Ask the person what it shows, or get at it with a command.`,
    );
  }
  const data = bytes.toString("base64");
  return {
    output: `${target.name} is a ${what} (${mimeType}, ${bytes.length} bytes). It is attached.`,
    attachments: [{ mimeType, data, name: basename(target.path) }],
    content: [{ type: "content", content: shown(target, type, data) }],
    metadata: { mimeType, bytes: bytes.length },
  };
}

async function bytesOf(
  target: TargetPath,
  type: MediaType,
  { workspace }: ToolContext,
): Promise<Buffer> {
  try {
    return await workspace.readBytes(target, toolLimits.attachmentBytes);
  } catch (error) {
    if (!(error instanceof FileProblem) || error.reason !== "file-too-large") throw error;
    throw new ToolFailure(
      "file-too-large",
      `${target.name} is a ${type.what} of more than ${toolLimits.attachmentBytes / 1_048_576} MiB, which is more than a model takes. Make a smaller copy with a command.`,
    );
  }
}

/** The user sees an image; a document becomes a link, because most clients cannot show one. */
function shown({ path }: TargetPath, { mimeType, what }: MediaType, data: string) {
  if (what === "picture") return { type: "image" as const, mimeType, data };
  const uri = pathToFileURL(path).href;
  return { type: "resource_link" as const, uri, name: basename(path), mimeType };
}
