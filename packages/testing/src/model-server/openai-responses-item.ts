import type { JsonObject } from "./json.ts";
import type { PlayContext } from "./provider.ts";
import { textOf, type Playable, type PlayablePart, type Usage } from "./reply.ts";

export type OutputItem = JsonObject & { readonly id: string };

/** An output item as it is announced: with its id and without content. */
export function itemOf(part: PlayablePart, { ids, body }: PlayContext): OutputItem {
  switch (part.type) {
    case "tool-call":
      return {
        id: ids("fc_", 48),
        type: "function_call",
        status: "in_progress",
        arguments: "",
        call_id: part.id,
        name: part.name,
      };
    case "reasoning": {
      const id = ids("rs_", 48);
      const include = body["include"];
      const encrypted = Array.isArray(include) && include.includes("reasoning.encrypted_content");
      return {
        id,
        type: "reasoning",
        ...(encrypted ? { encrypted_content: `encrypted-${id}` } : {}),
        summary: [],
      };
    }
    default:
      return {
        id: ids("msg_", 48),
        type: "message",
        status: "in_progress",
        content: [],
        role: "assistant",
      };
  }
}

export function completedItem(item: OutputItem, part: PlayablePart): OutputItem {
  switch (part.type) {
    case "tool-call":
      return { ...item, status: "completed", arguments: part.text };
    case "reasoning":
      return { ...item, summary: [{ type: "summary_text", text: part.text }] };
    default:
      return { ...item, status: "completed", content: [contentPart(part.type, part.text)] };
  }
}

export function contentPart(type: "text" | "refusal", text: string) {
  return type === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", annotations: [], logprobs: [], text };
}

export interface ResponseState {
  readonly id: string;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly OutputItem[];
  readonly incompleteReason?: "max_output_tokens" | "content_filter";
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: Required<Usage>;
}

export function responseEnding(
  reply: Playable,
): Pick<ResponseState, "status" | "incompleteReason"> {
  if (reply.stopReason === "max-tokens")
    return { status: "incomplete", incompleteReason: "max_output_tokens" };
  if (reply.stopReason === "refusal" && textOf(reply, "refusal") === "")
    return { status: "incomplete", incompleteReason: "content_filter" };
  return { status: "completed" };
}

export function responseOf({ at, body, request }: PlayContext, state: ResponseState) {
  const createdAt = Math.floor(at.getTime() / 1000);
  return {
    id: state.id,
    object: "response",
    created_at: createdAt,
    status: state.status,
    background: false,
    completed_at: state.status === "completed" ? createdAt : null,
    error: state.error ?? null,
    incomplete_details:
      state.incompleteReason === undefined ? null : { reason: state.incompleteReason },
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: null,
    model: request.model,
    output: state.output,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    safety_identifier: null,
    service_tier: "default",
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: body["text"] ?? { format: { type: "text" }, verbosity: "medium" },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_logprobs: 0,
    top_p: body["top_p"] ?? 1,
    truncation: "disabled",
    usage: state.usage === undefined ? null : responseUsage(state.usage),
    user: null,
    metadata: body["metadata"] ?? {},
  };
}

function responseUsage(usage: Required<Usage>) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedReadTokens,
      cache_write_tokens: usage.cachedWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
