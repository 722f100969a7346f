import { objectsOf, stringOf } from "./json.ts";
import { openaiError } from "./openai-error.ts";
import { readOpenaiTools } from "./openai-chat.ts";
import { readResponsesInput, ResponsesMemory } from "./openai-responses-input.ts";
import { responseFrames } from "./openai-responses-stream.ts";
import { completedItem, itemOf, responseEnding, responseOf } from "./openai-responses-item.ts";
import type { Provider } from "./provider.ts";

/**
 * `POST /v1/responses`. The real service stores its responses, and clients refer to them by id, so each server has its
 * own bounded memory.
 */
export function createOpenaiResponses(): Provider {
  const memory = new ResponsesMemory();
  return {
    name: "openai-responses",
    streamType: "text/event-stream",
    malformed:
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_\n\n',
    read(body) {
      const { system, messages } = readResponsesInput(memory.resolve(body));
      return {
        model: stringOf(body["model"]),
        stream: body["stream"] === true,
        system: [stringOf(body["instructions"]), system].filter((text) => text !== "").join("\n"),
        messages,
        tools: readOpenaiTools(
          objectsOf(body["tools"]).filter(({ type }) => type === "function" || type === "custom"),
        ),
      };
    },
    toolCallId: (ids) => ids("call_", 24),
    stream: (reply, context) => responseFrames(reply, context, memory),
    whole(reply, context) {
      const id = context.ids("resp_", 48);
      const output = reply.parts.map((part) => completedItem(itemOf(part, context), part));
      memory.keep(id, memory.resolve(context.body), output);
      return responseOf(context, { id, output, ...responseEnding(reply), usage: reply.usage });
    },
    error: openaiError,
  };
}
