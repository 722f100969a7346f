import { fileURLToPath } from "node:url";
import { realPath } from "@landline/shell";
import type { ContentBlock, ResourceLink } from "@agentclientprotocol/sdk";
import type { SeenFile, UserPart } from "../core/record.ts";
import { promptLimits } from "../limits.ts";
import { withheldFile } from "../permission/withheld-file.ts";
import { linesOf, splitByteOrderMark, textHash } from "../workspace/file-text.ts";
import { FileProblem, type Workspace } from "../workspace/workspace.ts";

/**
 * The blocks of a prompt from index `from` on, as the model reads them. A block that cannot be read becomes a
 * note; it never fails the prompt.
 */
export async function readPrompt(
  content: ContentBlock[],
  workspace: Workspace,
  signal: AbortSignal,
  from = 0,
): Promise<UserPart[]> {
  const parts: UserPart[] = [];
  for (const [index, block] of content.entries()) {
    if (index < from || !isForModel(block)) continue;
    parts.push(await partOf(block, index, workspace, signal));
  }
  return parts;
}

/** Blocks that are annotated for the user alone are not sent to the model. */
function isForModel(block: ContentBlock): boolean {
  const audience = block.annotations?.audience;
  return !audience || audience.length === 0 || audience.includes("assistant");
}

async function partOf(
  block: ContentBlock,
  index: number,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<UserPart> {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return mediaPart(block.data, index, block.type);
    case "resource":
      if ("text" in block.resource) return embedded(block.resource.uri, block.resource.text);
      return mediaPart(block.resource.blob, index, block.resource.mimeType ?? "file");
    case "resource_link":
      return linkPart(block, workspace, signal);
    default:
      return { type: "text", text: "(a kind of content that this agent does not support)" };
  }
}

function mediaPart(data: string, index: number, what: string): UserPart {
  if (Buffer.byteLength(data, "base64") <= promptLimits.attachmentBytes) {
    return { type: "block", index };
  }
  const mebibytes = promptLimits.attachmentBytes / 1_024 / 1_024;
  return {
    type: "text",
    text: `(an attachment, ${what}, that is larger than ${mebibytes} MiB and was left out)`,
  };
}

/** A range of lines does not count as a read of the whole file. */
async function embedded(uri: string, content: string): Promise<UserPart> {
  const part = { type: "text" as const, text: `[${labelOf(uri)}]\n${content}` };
  const path = pathOf(uri);
  if (path === null || lineRange(uri)) return part;
  return { ...part, file: seenFile(await realPath(path), splitByteOrderMark(content).text, null) };
}

async function linkPart(
  link: ResourceLink,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<UserPart> {
  const path = pathOf(link.uri);
  const about = [link.title ?? link.name, link.description].filter(Boolean).join(": ");
  if (path === null) return words(`(a link to ${link.uri}${about === "" ? "" : `, ${about}`})`);
  try {
    const located = await workspace.locate(path);
    const withheld = withheldFile(located, workspace);
    if (withheld !== null) return words(`[${path}] ${withheld}`);
    const stat = await workspace.stat(path);
    if (stat?.type === "directory") return words(`[${path}] (a folder)`);
    if (stat && stat.size > promptLimits.linkedFileBytes) {
      return words(`[${path}] (${stat.size} bytes: read the parts you need with the read tool)`);
    }
    const { text } = await workspace.readText(located, signal);
    const shown = `[${labelOf(link.uri)}]\n${lines(text, link.uri)}`;
    return { type: "text", text: shown, file: seenFile(located.real, text, lineRange(link.uri)) };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return words(`[${path}] (it could not be read: ${error.message})`);
  }
}

function words(text: string): UserPart {
  return { type: "text", text };
}

function seenFile(path: string, text: string, range: LineRange | null): SeenFile {
  const total = linesOf(text).length;
  const { first, last } = range ?? { first: 1, last: total };
  return { path, hash: textHash(text), lines: { first, last, total } };
}

/** The file of a link: a `file:` URL, a path, or an editor's own scheme with a `path` parameter. */
function pathOf(uri: string): string | null {
  if (uri.startsWith("/")) return uri;
  const url = URL.parse(uri);
  if (!url) return null;
  if (url.protocol === "file:") {
    url.hash = "";
    url.search = "";
    try {
      return fileURLToPath(url);
    } catch {
      return null;
    }
  }
  const path = url.searchParams.get("path");
  return path?.startsWith("/") ? path : null;
}

function labelOf(uri: string): string {
  const range = lineRange(uri);
  const path = pathOf(uri) ?? uri;
  return range ? `${path}:${range.first}` : path;
}

function lines(text: string, uri: string): string {
  const range = lineRange(uri);
  return range
    ? text
        .split("\n")
        .slice(range.first - 1, range.last)
        .join("\n")
    : text;
}

interface LineRange {
  first: number;
  last: number;
}

/** `#L10:20`, `#L10-L20`, `#L10`: editors write all of these. */
function lineRange(uri: string): LineRange | null {
  const match = /#L(\d+)(?:[:-]L?(\d+))?$/u.exec(uri);
  if (!match) return null;
  const first = Math.max(Number(match[1]), 1);
  return { first, last: Math.max(Number(match[2] ?? first), first) };
}
