import { normaliseUpdate, type PromptQueued, type RawUpdate } from "@landline/protocol";
import { cleanText, clipText } from "./text.ts";

/** The little that the tables want to know of one update. Whatever a hostile agent sent, it never throws. */
export type Reading =
  /** A piece of what the agent says. */
  | { readonly type: "message"; readonly messageId: string | null; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCall: ToolCallReading }
  | { readonly type: "title"; readonly title: string | null }
  /** Something else stands in the thread now, so the message before it is finished. */
  | { readonly type: "break" };

/** A field is undefined where the update says nothing of it; `paths` are further ones. */
export interface ToolCallReading {
  readonly toolCallId: string;
  readonly title: string | undefined;
  readonly kind: string | undefined;
  readonly status: string | undefined;
  readonly paths: readonly string[];
}

const idLength = 1_024;
const wordLength = 100;
const pathLength = 4_096;
/** Of one call. Further ones can't be searched for. */
export const pathsKept = 100;

export function readUpdate(raw: RawUpdate): Reading | null {
  const update = normaliseUpdate(raw);
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return {
        type: "message",
        messageId: identifier(update["messageId"]),
        text: cleanText(stringOf(fieldOf(update["content"], "text")) ?? ""),
      };
    case "tool_call":
      return readTool(update, "fill");
    case "tool_call_update":
      return readTool(update, "update");
    case "session_info_update": {
      const title = update["title"];
      if (title === null) return { type: "title", title };
      return typeof title === "string" ? { type: "title", title: cleanText(title) } : null;
    }
    case "agent_thought_chunk":
    case "user_message_chunk":
    case "notice":
    case "compaction_update":
    case "session_message":
      return { type: "break" };
    default:
      return null;
  }
}

function readTool(update: RawUpdate, manner: "fill" | "update"): Reading | null {
  const toolCall = readToolCall(update, manner);
  return toolCall === null ? null : { type: "tool-call", toolCall };
}

/**
 * Null when it has no id. With `fill` (the first word on a call, or a permission) an empty field says
 * nothing, with `update` it clears: as `fold` does it.
 */
export function readToolCall(value: unknown, manner: "fill" | "update"): ToolCallReading | null {
  const toolCallId = identifier(fieldOf(value, "toolCallId"));
  if (toolCallId === null) return null;
  const word = (name: string, length: number) => {
    const field = fieldOf(value, name);
    if (field === null) return manner === "update" ? "" : undefined;
    const text = stringOf(field);
    if (text === undefined || (text === "" && manner === "fill")) return undefined;
    return cleanText(clipText(text, length));
  };
  return {
    toolCallId,
    title: word("title", idLength),
    kind: word("kind", wordLength),
    status: word("status", wordLength) || undefined,
    paths: readPaths(value),
  };
}

/** Where the call looks or writes: its locations, and the files of its diffs. */
function readPaths(value: unknown): readonly string[] {
  const paths = new Set<string>();
  for (const list of [fieldOf(value, "locations"), fieldOf(value, "content")]) {
    for (const entry of Array.isArray(list) ? (list as unknown[]) : []) {
      const path = stringOf(fieldOf(entry, "path"));
      if (path !== undefined && path !== "" && paths.size < pathsKept)
        paths.add(cleanText(clipText(path, pathLength)));
    }
  }
  return [...paths];
}

/** What can be searched for in a prompt: its text, and what it links to. */
export function promptText(content: PromptQueued["content"]): string {
  const parts: string[] = [];
  for (const block of content) {
    const part = fieldOf(block, "type") === "text" ? fieldOf(block, "text") : fieldOf(block, "uri");
    const text = stringOf(part);
    if (text !== undefined) parts.push(text);
  }
  return parts.join("\n");
}

/**
 * Ids are opaque and may be anything: what is kept of one is bounded and can be stored. One that was too
 * long for the log is known by the hash of its text.
 */
export function identifier(value: unknown): string | null {
  const text = stringOf(value) ?? stringOf(fieldOf(value, "$blob"));
  return text === undefined ? null : cleanText(clipText(text, idLength));
}

/** A string of an event. One that was too long for the log is left out here. */
export function textOf(value: unknown): string {
  return stringOf(value) ?? "";
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
