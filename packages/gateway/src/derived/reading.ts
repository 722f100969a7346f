import {
  normaliseUpdate,
  readExecution,
  type ExecutionReading,
  type PromptQueued,
  type RawUpdate,
} from "@landline/protocol";
import type { CallSource } from "../tool-calls/another-call.ts";
import { type CallTexts, readCallTexts } from "./call-texts.ts";
import { cleanText, clipText } from "./text.ts";

/** The little that the tables want to know of one update. Whatever a hostile agent sent, it never throws. */
export type Reading =
  /** A piece of what the agent says. */
  | { readonly type: "message"; readonly messageId: string | null; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCall: ToolCallReading }
  | { readonly type: "title"; readonly title: string | null }
  /** Something else stands in the thread now, so the message before it is finished. */
  | { readonly type: "break" };

/** A field is undefined where the update does not set it. What it names adds to what was named before. */
export interface ToolCallReading {
  readonly source: CallSource;
  readonly toolCallId: string;
  readonly title: string | undefined;
  readonly kind: string | undefined;
  readonly status: string | undefined;
  readonly named: CallTexts;
  readonly execution: ExecutionReading;
  /** A terminal that the agent shows as its own. */
  readonly ownTerminal: string | null;
}

const idLength = 1_024;
const wordLength = 100;

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
      return readTool(update, "call");
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

function readTool(update: RawUpdate, source: CallSource): Reading | null {
  const toolCall = readToolCall(update, source);
  return toolCall === null ? null : { type: "tool-call", toolCall };
}

/** Null when it has no id. As in `fold`, an empty field clears the known one in an update and changes nothing otherwise. */
export function readToolCall(value: unknown, source: CallSource): ToolCallReading | null {
  const toolCallId = identifier(fieldOf(value, "toolCallId"));
  if (toolCallId === null) return null;
  const word = (name: string, length: number) => {
    const field = fieldOf(value, name);
    if (field === null) return source === "update" ? "" : undefined;
    const text = stringOf(field);
    if (text === undefined || (text === "" && source !== "update")) return undefined;
    return cleanText(clipText(text, length));
  };
  return {
    source,
    toolCallId,
    title: word("title", idLength),
    kind: word("kind", wordLength),
    status: word("status", wordLength) || undefined,
    named: named(value as object),
    execution: readExecution(value as RawUpdate),
    ownTerminal: identifier(ownTerminalOf(fieldOf(value, "_meta"))),
  };
}

/** Any message about it shows it: the one that opened it may be cut off. */
function ownTerminalOf(meta: unknown): unknown {
  const names = ["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"];
  const shown = names.map((name) => fieldOf(fieldOf(meta, name), "terminal_id"));
  return shown.find((id) => typeof id === "string");
}

/** Set on a tool call of which only the beginning of the input was read. */
export const inputIsCut = "inputIsCut";

function named(toolCall: object): CallTexts {
  const texts = readCallTexts(toolCall);
  return fieldOf(toolCall, inputIsCut) === true ? { ...texts, isCut: true } : texts;
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
