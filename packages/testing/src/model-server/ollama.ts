import { isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { readOpenaiTools } from "./openai-chat.ts";
import { end, piece, UnreadableRequest } from "./provider.ts";
import type { ErrorReply, Frame, PlayContext, Provider } from "./provider.ts";
import { textOf, toolCallsOf } from "./reply.ts";
import type { Playable, PlayableToolCall, Problem } from "./reply.ts";
import { message, withToolNames, type MessageReading } from "./request.ts";

/** `POST /api/chat`: one JSON object per line. Streaming is the default. */
export const ollama: Provider = {
  name: "ollama",
  streamType: "application/x-ndjson",
  malformed: '{"model":"scripted","created_at":"2026\n',
  read(body) {
    if (stringOf(body["model"]) === "") throw new UnreadableRequest("model is required");
    const messages = objectsOf(body["messages"]);
    return {
      model: stringOf(body["model"]),
      stream: body["stream"] !== false,
      system: messages
        .filter(({ role }) => role === "system")
        .map(({ content }) => stringOf(content))
        .join("\n"),
      messages: withToolNames(messages.filter(({ role }) => role !== "system").map(readMessage)),
      tools: readOpenaiTools(body["tools"]),
    };
  },
  toolCallId: (ids) => ids("call_", 8),
  stream: (reply, context) => ({
    frames: chatFrames(reply, context),
    failure: (problem) => line(ollamaError(problem).body),
  }),
  whole(reply, context) {
    const calls = toolCallsOf(reply);
    const thinking = textOf(reply, "reasoning");
    const toolCalls = calls.filter((call) => call.arguments !== null).map(toolCall);
    return {
      ...heading(context),
      message: {
        role: "assistant",
        content:
          textOf(reply, "text") + textOf(reply, "refusal") + calls.map(unparsedText).join(""),
        ...(thinking === "" ? {} : { thinking }),
        ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      },
      ...ending(reply),
    };
  },
  error: ollamaError,
};

function readMessage(one: JsonObject): MessageReading {
  const text = stringOf(one["content"]);
  if (one["role"] === "tool")
    return message("tool", {
      toolResults: [
        {
          id: stringOf(one["tool_call_id"]),
          name: stringOf(one["tool_name"] ?? one["name"]),
          text,
          isError: false,
        },
      ],
    });
  return message(one["role"] === "assistant" ? "assistant" : "user", {
    text,
    reasoning: stringOf(one["thinking"]),
    toolCalls: objectsOf(one["tool_calls"]).map((call) => {
      const called = isObject(call["function"]) ? call["function"] : {};
      return {
        id: stringOf(call["id"]),
        name: stringOf(called["name"]),
        arguments: called["arguments"],
      };
    }),
    attachments: Array.isArray(one["images"]) ? one["images"].map(() => "image") : [],
  });
}

function line(data: unknown): string {
  return `${JSON.stringify(data)}\n`;
}

function* chatFrames(reply: Playable, context: PlayContext): Iterable<Frame> {
  const chunk = (fields: object) =>
    line({
      ...heading(context),
      message: { role: "assistant", content: "", ...fields },
      done: false,
    });
  let index = 0;
  for (const part of reply.parts) {
    if (part.type === "tool-call" && part.arguments !== null) {
      yield piece(chunk({ tool_calls: [toolCall(part, index)] }), part.delayMs);
      index += 1;
    } else {
      const field = part.type === "reasoning" ? "thinking" : "content";
      for (const { text, delayMs } of part.pieces) yield piece(chunk({ [field]: text }), delayMs);
    }
  }
  const silence = { role: "assistant", content: "" };
  yield end(line({ ...heading(context), message: silence, ...ending(reply) }));
}

function toolCall(call: PlayableToolCall, index: number) {
  return { id: call.id, function: { index, name: call.name, arguments: call.arguments } };
}

/** A call that cannot be parsed stays in the text, as the model wrote it. */
function unparsedText(call: PlayableToolCall): string {
  return call.arguments === null ? call.text : "";
}

function heading({ request }: PlayContext) {
  return { model: request.model, created_at: new Date().toISOString() };
}

function ending({ stopReason, usage }: Playable) {
  return {
    done: true,
    done_reason: stopReason === "max-tokens" ? "length" : "stop",
    total_duration: 300_000_000,
    load_duration: 100_000_000,
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: 100_000_000,
    eval_count: usage.outputTokens,
    eval_duration: 100_000_000,
  };
}

const messageByStatus: Readonly<Record<number, string>> = {
  400: "invalid request",
  401: "unauthorized",
  404: "model not found, try pulling it first",
  429: "too many requests",
  503: "server busy, please try again",
  529: "server busy, please try again",
};

function ollamaError(problem: Problem): ErrorReply {
  const text = problem.message ?? messageByStatus[problem.status] ?? "an error was encountered";
  return { body: { error: text }, headers: {} };
}
