import { anthropicError } from "./anthropic-error.ts";
import { readAnthropicMessages, blocksText } from "./anthropic-input.ts";
import { objectsOf, stringOf } from "./json.ts";
import { end, frame, piece, sse, UnreadableRequest } from "./provider.ts";
import type { Frame, Ids, PlayContext, Provider } from "./provider.ts";
import { textOf, type Playable, type PlayablePart, type StopReason, type Usage } from "./reply.ts";

/** `POST /v1/messages`. */
export const anthropic: Provider = {
  name: "anthropic",
  streamType: "text/event-stream",
  malformed: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  read(body) {
    if (!Array.isArray(body["messages"])) throw new UnreadableRequest("messages: Field required");
    const { system, messages } = readAnthropicMessages(body["messages"]);
    return {
      model: stringOf(body["model"]),
      stream: body["stream"] === true,
      system: [blocksText(body["system"], "\n"), system].filter((text) => text !== "").join("\n"),
      messages,
      tools: objectsOf(body["tools"]).map((tool) => ({
        name: stringOf(tool["name"]),
        description: stringOf(tool["description"]),
        schema: tool["input_schema"],
      })),
    };
  },
  toolCallId: (ids) => ids("toolu_01", 22),
  stream: (reply, context) => ({
    frames: messageFrames(reply, context),
    failure: (problem) => sse(anthropicError(problem, context.ids).body, "error"),
  }),
  whole: (reply, context) => ({
    ...heading(context),
    content: reply.parts
      .filter(({ type }) => type !== "refusal")
      .map((part) => contentBlock(part, context.ids)),
    ...stopOf(reply),
    usage: {
      ...messageUsage(reply.usage, reply.usage.outputTokens),
      output_tokens_details: { thinking_tokens: reply.usage.reasoningTokens },
    },
  }),
  error: anthropicError,
};

function event(type: string, fields: object): string {
  return sse({ type, ...fields }, type);
}

function* messageFrames(reply: Playable, context: PlayContext): Iterable<Frame> {
  const message = {
    ...heading(context),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: messageUsage(reply.usage, 1),
  };
  yield frame(event("message_start", { message }));
  let index = 0;
  for (const part of reply.parts) {
    // The text of a refusal is in `stop_details`, not in the content.
    if (part.type === "refusal") continue;
    yield frame(event("content_block_start", { index, content_block: emptyBlock(part) }));
    if (index === 0) yield frame(event("ping", {}));
    const delta = (fields: object) => event("content_block_delta", { index, delta: fields });
    // The service starts the arguments of a tool call with an empty delta.
    if (part.type === "tool-call")
      yield frame(delta({ type: "input_json_delta", partial_json: "" }));
    for (const { text, delayMs } of part.pieces)
      yield piece(delta(deltaOf(part.type, text)), delayMs);
    if (part.type === "reasoning")
      yield frame(delta({ type: "signature_delta", signature: signatureOf(context.ids) }));
    yield frame(event("content_block_stop", { index }));
    index += 1;
  }
  yield end(event("message_delta", { delta: stopOf(reply), usage: finalUsage(reply.usage) }));
  yield frame(event("message_stop", {}));
}

function heading({ ids, request }: PlayContext) {
  return {
    model: request.model,
    id: ids("msg_01", 22),
    type: "message",
    role: "assistant",
    container: null,
  };
}

function emptyBlock(part: PlayablePart) {
  if (part.type === "tool-call")
    return { type: "tool_use", id: part.id, name: part.name, input: {}, caller: directCaller };
  return part.type === "reasoning"
    ? { type: "thinking", thinking: "", signature: "" }
    : { type: "text", text: "" };
}

function contentBlock(part: PlayablePart, ids: Ids) {
  const block = emptyBlock(part);
  // A body cannot carry input that is not an object, so such text replaces the object.
  if (part.type === "tool-call") return { ...block, input: part.arguments ?? part.text };
  return part.type === "reasoning"
    ? { ...block, thinking: part.text, signature: signatureOf(ids) }
    : { ...block, citations: null, text: part.text };
}

const directCaller = { type: "direct" };

function deltaOf(type: "text" | "reasoning" | "tool-call", text: string) {
  if (type === "tool-call") return { type: "input_json_delta", partial_json: text };
  return type === "reasoning"
    ? { type: "thinking_delta", thinking: text }
    : { type: "text_delta", text };
}

function signatureOf(ids: Ids): string {
  return Buffer.from(ids("signature-", 32)).toString("base64");
}

const stopReasonWords: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  "max-tokens": "max_tokens",
  "tool-calls": "tool_use",
  refusal: "refusal",
  "stop-sequence": "stop_sequence",
};

function stopOf(reply: Playable) {
  const explanation = textOf(reply, "refusal");
  const refused = reply.stopReason === "refusal";
  return {
    stop_reason: stopReasonWords[reply.stopReason],
    stop_sequence: reply.stopReason === "stop-sequence" ? "STOP" : null,
    stop_details: refused
      ? { type: "refusal", category: null, explanation: explanation === "" ? null : explanation }
      : null,
  };
}

/** The service counts cached input separately. */
function uncachedInput(usage: Required<Usage>): number {
  return Math.max(0, usage.inputTokens - usage.cachedReadTokens - usage.cachedWriteTokens);
}

function messageUsage(usage: Required<Usage>, outputTokens: number) {
  return {
    input_tokens: uncachedInput(usage),
    cache_creation_input_tokens: usage.cachedWriteTokens,
    cache_read_input_tokens: usage.cachedReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cachedWriteTokens,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens: outputTokens,
    service_tier: "standard",
  };
}

function finalUsage(usage: Required<Usage>) {
  return {
    input_tokens: uncachedInput(usage),
    cache_creation_input_tokens: usage.cachedWriteTokens,
    cache_read_input_tokens: usage.cachedReadTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}
