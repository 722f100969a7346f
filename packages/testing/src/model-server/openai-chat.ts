import { asText, isObject, objectsOf, parseOrText, stringOf, type JsonObject } from "./json.ts";
import { end, frame, piece, sse, UnreadableRequest } from "./provider.ts";
import type { Frame, PlayContext, Provider, ReplyStream } from "./provider.ts";
import { openaiError } from "./openai-error.ts";
import { textOf, toolCallsOf, type Playable, type Usage } from "./reply.ts";
import { message, withToolNames, type MessageReading, type ToolReading } from "./request.ts";

/** `POST /v1/chat/completions`. Reasoning is sent as `reasoning_content`, as in compatible servers. */
export const openaiChat: Provider = {
  name: "openai-chat",
  streamType: "text/event-stream",
  malformed: 'data: {"id":"chatcmpl-1","object":"chat.compl\n\n',
  read(body) {
    if (!Array.isArray(body["messages"]))
      throw new UnreadableRequest("Missing required parameter: 'messages'.");
    const messages = objectsOf(body["messages"]);
    return {
      model: stringOf(body["model"]),
      stream: body["stream"] === true,
      system: messages.filter(isSystem).map(contentText).join("\n"),
      messages: withToolNames(messages.filter((one) => !isSystem(one)).map(readMessage)),
      tools: readOpenaiTools(body["tools"]),
    };
  },
  toolCallId: (ids) => ids("call_", 24),
  stream: (reply, context) => streamChat(reply, context),
  whole(reply, context) {
    const toolCalls = toolCallsOf(reply).map(({ id, name, text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    }));
    const reasoning = textOf(reply, "reasoning");
    return {
      ...heading(context, "chat.completion"),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: textOf(reply, "text") || null,
            refusal: textOf(reply, "refusal") || null,
            annotations: [],
            ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
            ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
          },
          logprobs: null,
          finish_reason: finishReason(reply),
        },
      ],
      usage: chatUsage(reply.usage),
    };
  },
  error: openaiError,
};

/** The form that Ollama shares: a name, a description and a JSON schema under `function`. */
export function readOpenaiTools(tools: unknown): ToolReading[] {
  return objectsOf(tools).map((tool) => {
    const definition = isObject(tool["function"]) ? tool["function"] : tool;
    return {
      name: stringOf(definition["name"]),
      description: stringOf(definition["description"]),
      schema: definition["parameters"],
    };
  });
}

function isSystem(one: JsonObject): boolean {
  return one["role"] === "system" || one["role"] === "developer";
}

function readMessage(one: JsonObject): MessageReading {
  const text = contentText(one);
  if (one["role"] === "tool")
    return message("tool", {
      toolResults: [{ id: stringOf(one["tool_call_id"]), name: "", text, isError: false }],
    });
  return message(one["role"] === "assistant" ? "assistant" : "user", {
    text,
    reasoning: stringOf(one["reasoning_content"] ?? one["reasoning"]),
    toolCalls: objectsOf(one["tool_calls"]).map((call) => {
      const called = isObject(call["function"]) ? call["function"] : {};
      return {
        id: stringOf(call["id"]),
        name: stringOf(called["name"]),
        arguments: parseOrText(stringOf(called["arguments"])),
      };
    }),
    attachments: objectsOf(one["content"])
      .filter(({ type }) => type !== "text" && type !== "refusal")
      .map(attachmentOf),
  });
}

function contentText(one: JsonObject): string {
  if (typeof one["content"] === "string") return one["content"];
  return objectsOf(one["content"])
    .map((part) => stringOf(part["text"]))
    .join("");
}

function attachmentOf(part: JsonObject): string {
  const url = isObject(part["image_url"]) ? stringOf(part["image_url"]["url"]) : "";
  return /^data:([^;,]+)/.exec(url)?.[1] ?? asText(part["type"]);
}

function streamChat(reply: Playable, context: PlayContext): ReplyStream {
  return {
    frames: chatFrames(reply, context),
    failure: (problem) => sse(openaiError(problem).body),
  };
}

function* chatFrames(reply: Playable, context: PlayContext): Iterable<Frame> {
  const options = context.body["stream_options"];
  const withUsage = isObject(options) && options["include_usage"] === true;
  const base = heading(context, "chat.completion.chunk");
  const usage = withUsage ? { usage: null } : {};
  const chunk = (delta: unknown, reason: string | null = null) =>
    sse({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...usage,
    });
  yield frame(chunk({ role: "assistant", content: "", refusal: null }));
  let index = 0;
  for (const part of reply.parts) {
    if (part.type === "tool-call") {
      const called = { name: part.name, arguments: "" };
      yield frame(
        chunk({ tool_calls: [{ index, id: part.id, type: "function", function: called }] }),
      );
      for (const { text, delayMs } of part.pieces)
        yield piece(chunk({ tool_calls: [{ index, function: { arguments: text } }] }), delayMs);
      index += 1;
    } else {
      const field = { text: "content", reasoning: "reasoning_content", refusal: "refusal" }[
        part.type
      ];
      for (const { text, delayMs } of part.pieces) yield piece(chunk({ [field]: text }), delayMs);
    }
  }
  yield end(chunk({}, finishReason(reply)));
  if (withUsage) yield frame(sse({ ...base, choices: [], usage: chatUsage(reply.usage) }));
  yield frame("data: [DONE]\n\n");
}

function heading(context: PlayContext, object: string) {
  return {
    id: context.ids("chatcmpl-", 24),
    object,
    created: Math.floor(context.at.getTime() / 1000),
    model: context.request.model,
    service_tier: "default",
    system_fingerprint: "fp_scripted",
  };
}

function finishReason(reply: Playable): string {
  switch (reply.stopReason) {
    case "max-tokens":
      return "length";
    case "tool-calls":
      return "tool_calls";
    case "refusal":
      // A model that refuses sends a text and stops. A filter sends no text.
      return textOf(reply, "refusal") === "" ? "content_filter" : "stop";
    default:
      return "stop";
  }
}

function chatUsage(usage: Required<Usage>) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedReadTokens,
      cache_write_tokens: usage.cachedWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
