import { textBlock } from "./content.ts";
import type { Hits } from "./hits.ts";
import { isRecord, type RawRecord } from "../../record.ts";
import { normaliseToolCall } from "./tool-call.ts";

/**
 * Updates that do not say what they are in `sessionUpdate`: seed 002's `{type, content}`, and the tool
 * calls that the appendix of seed 004 prints. `undefined` when it is neither.
 */
export function unflattened(update: RawRecord, hits?: Hits): RawRecord | undefined {
  const { type, content, ...rest } = update;
  if (typeof type === "string") {
    const found = byType(type, content, hits);
    if (found === undefined) return undefined;
    hits?.count("update-flat");
    return { ...rest, ...found };
  }
  if (typeof update["toolCallId"] !== "string") return undefined;
  hits?.count("update-kind");
  // Both are folded alike; only the start of a call must have a title.
  const sessionUpdate = typeof update["title"] === "string" ? "tool_call" : "tool_call_update";
  return normaliseToolCall({ ...update, sessionUpdate }, hits);
}

function byType(type: string, content: unknown, hits?: Hits): RawRecord | undefined {
  switch (type) {
    case "text":
      return chunk("agent_message_chunk", content);
    case "thinking":
      return chunk("agent_thought_chunk", content);
    case "tool_call":
      return started(content, hits);
    case "tool_result":
      return finished(content);
    case "error":
      // The schema has no update for a failure that ends no turn; a notice is what a person sees.
      return { sessionUpdate: "notice", severity: "error", title: textOf(content) || "Error" };
    default:
      return undefined;
  }
}

function chunk(sessionUpdate: string, content: unknown): RawRecord | undefined {
  const text = textOf(content);
  return text === undefined ? undefined : { sessionUpdate, content: textBlock(text) };
}

function started(content: unknown, hits?: Hits): RawRecord | undefined {
  if (!isRecord(content) || !isRecord(content["toolCall"])) return undefined;
  const { toolCall } = content;
  if (typeof (toolCall["toolCallId"] ?? toolCall["id"]) !== "string") return undefined;
  return normaliseToolCall({ ...toolCall, sessionUpdate: "tool_call" }, hits);
}

function finished(content: unknown): RawRecord | undefined {
  if (!isRecord(content) || !isRecord(content["toolResult"])) return undefined;
  const { callId, output, isError } = content["toolResult"];
  if (typeof callId !== "string") return undefined;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callId,
    status: isError === true ? "failed" : "completed",
    rawOutput: output,
    ...(typeof output === "string"
      ? { content: [{ type: "content", content: textBlock(output) }] }
      : {}),
  };
}

function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : undefined;
}
