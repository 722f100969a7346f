import { evictOldest } from "@landline/system/evict-oldest";
import { asText, isObject, objectsOf, parseOrText, stringOf, type JsonObject } from "./json.ts";
import { UnreadableRequest } from "./provider.ts";
import { message, withToolNames, type MessageReading } from "./request.ts";

const responsesKept = 1_000;
const itemsKept = 10_000;

/**
 * Stores the last 1,000 responses and 10,000 items, so that `previous_response_id` and item references can be resolved.
 */
export class ResponsesMemory {
  readonly #conversations = new Map<string, readonly JsonObject[]>();
  readonly #items = new Map<unknown, JsonObject>();

  keep(responseId: string, input: readonly JsonObject[], output: readonly JsonObject[]): void {
    this.#conversations.set(responseId, [...input, ...output]);
    for (const item of output) this.#items.set(item["id"], item);
    evictOldest(this.#conversations, responsesKept);
    evictOldest(this.#items, itemsKept);
  }

  /** The whole conversation of a request, with references resolved. */
  resolve(body: JsonObject): readonly JsonObject[] {
    const previous = body["previous_response_id"];
    const before = typeof previous === "string" ? this.#conversations.get(previous) : [];
    if (before === undefined)
      throw new UnreadableRequest(`Previous response with id '${asText(previous)}' not found.`);
    return [...before, ...inputItems(body).map((item) => this.#follow(item))];
  }

  #follow(item: JsonObject): JsonObject {
    if (item["type"] !== "item_reference") return item;
    const found = this.#items.get(item["id"]);
    if (found !== undefined) return found;
    throw new UnreadableRequest(`Item with id '${asText(item["id"])}' not found.`);
  }
}

function inputItems(body: JsonObject): readonly JsonObject[] {
  const input = body["input"];
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (Array.isArray(input)) return objectsOf(input);
  throw new UnreadableRequest("Missing required parameter: 'input'.");
}

export function readResponsesInput(items: readonly JsonObject[]): {
  readonly system: string;
  readonly messages: readonly MessageReading[];
} {
  const system = items
    .filter(({ role }) => role === "system" || role === "developer")
    .map((item) => contentText(item["content"]))
    .join("\n");
  return { system, messages: withToolNames(joinAssistant(items.flatMap(readItem))) };
}

function readItem(item: JsonObject): MessageReading[] {
  const id = stringOf(item["call_id"]);
  switch (item["type"] ?? "message") {
    case "function_call":
    case "custom_tool_call": {
      const given = stringOf(item["arguments"] ?? item["input"]);
      const name = stringOf(item["name"]);
      return [message("assistant", { toolCalls: [{ id, name, arguments: parseOrText(given) }] })];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const text = contentText(item["output"]);
      return [message("tool", { toolResults: [{ id, name: "", text, isError: false }] })];
    }
    case "reasoning":
      return [message("assistant", { reasoning: contentText(item["summary"]) })];
    case "message":
      return readSpoken(item);
    default:
      return [];
  }
}

function readSpoken(item: JsonObject): MessageReading[] {
  const role = item["role"];
  if (role !== "user" && role !== "assistant") return [];
  const attachments = objectsOf(item["content"])
    .filter(({ type }) => type === "input_image" || type === "input_file" || type === "input_audio")
    .map((part) => {
      const data = stringOf(part["image_url"] ?? part["file_data"]);
      return /^data:([^;,]+)/.exec(data)?.[1] ?? asText(part["type"]);
    });
  return [message(role, { text: contentText(item["content"]), attachments })];
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return objectsOf(content)
      .map((part) => stringOf(part["text"] ?? part["refusal"]))
      .join("");
  return isObject(content) ? asText(content) : "";
}

/** One answer of the model is several items here, and one message for other providers. */
function joinAssistant(messages: readonly MessageReading[]): MessageReading[] {
  const joined: MessageReading[] = [];
  for (const one of messages) {
    const before = joined.at(-1);
    if (before?.role === "assistant" && one.role === "assistant")
      joined[joined.length - 1] = message("assistant", {
        text: before.text + one.text,
        reasoning: before.reasoning + one.reasoning,
        toolCalls: [...before.toolCalls, ...one.toolCalls],
      });
    else joined.push(one);
  }
  return joined;
}
