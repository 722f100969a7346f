import { fileURLToPath } from "node:url";
import type { ContentBlock, ResourceLink } from "@agentclientprotocol/sdk";
import type { UserPart } from "../core/record.ts";
import { promptLimits } from "../limits.ts";
import { FileProblem, type Workspace } from "../workspace/workspace.ts";

/**
 * What the model reads of a prompt's blocks, from the one at `from` on. Nothing that a client may send
 * makes a prompt fail: what can't be read is said in words.
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

/** What is annotated for the person alone stays on their screen. */
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
      if ("text" in block.resource) return named(block.resource.uri, block.resource.text);
      return mediaPart(block.resource.blob, index, block.resource.mimeType ?? "file");
    case "resource_link":
      return { type: "text", text: await linkText(block, workspace, signal) };
    default:
      return { type: "text", text: "(a kind of content that this agent does not know)" };
  }
}

function mediaPart(data: string, index: number, what: string): UserPart {
  // Base64 is four characters for three bytes.
  if ((data.length * 3) / 4 <= promptLimits.attachmentBytes) return { type: "block", index };
  const megabytes = promptLimits.attachmentBytes / 1_000_000;
  return {
    type: "text",
    text: `(an attachment, ${what}, that is larger than ${megabytes} MB and was left out)`,
  };
}

function named(uri: string, text: string): UserPart {
  return { type: "text", text: `[${placeOf(uri)}]\n${text}` };
}

async function linkText(
  link: ResourceLink,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string> {
  const path = pathOf(link.uri);
  const about = [link.title ?? link.name, link.description].filter(Boolean).join(": ");
  if (path === null) return `(a link to ${link.uri}${about === "" ? "" : `, ${about}`})`;
  try {
    const stat = await workspace.stat(path);
    if (stat?.type === "directory") return `[${path}] (a folder)`;
    if (stat && stat.size > promptLimits.linkedFileBytes) {
      return `[${path}] (${stat.size} bytes: read the parts you need with the read tool)`;
    }
    const { text } = await workspace.readText(path, signal);
    return `[${placeOf(link.uri)}]\n${lines(text, link.uri)}`;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return `[${path}] (it could not be read: ${error.message})`;
  }
}

/** The file that a link means: `file:` addresses, paths, and editors' own schemes with a `path` in them. */
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

function placeOf(uri: string): string {
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

/** `#L10:20`, `#L10-L20`, `#L10`: editors write all of these. */
function lineRange(uri: string): { first: number; last: number } | null {
  const match = /#L(\d+)(?:[:-]L?(\d+))?$/u.exec(uri);
  if (!match) return null;
  const first = Math.max(Number(match[1]), 1);
  return { first, last: Math.max(Number(match[2] ?? first), first) };
}
