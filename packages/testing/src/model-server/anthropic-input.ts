import { asText, isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { message, withToolNames, type MessageReading } from "./request.ts";

export function readAnthropicMessages(list: unknown): {
  readonly system: string;
  readonly messages: readonly MessageReading[];
} {
  const all = objectsOf(list);
  const system = all
    .filter(({ role }) => role === "system")
    .map(({ content }) => blocksText(content, "\n"));
  const spoken = all.filter(({ role }) => role !== "system");
  return { system: system.join("\n"), messages: withToolNames(spoken.flatMap(readMessage)) };
}

export function blocksText(content: unknown, separator = ""): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .filter(({ type }) => type === "text")
    .map((block) => stringOf(block["text"]))
    .join(separator);
}

/** Tool results are part of a user message here. They become separate messages. */
function readMessage(one: JsonObject): MessageReading[] {
  const blocks = objectsOf(one["content"]);
  const spoken = message(one["role"] === "assistant" ? "assistant" : "user", {
    text: blocksText(one["content"]),
    reasoning: blocks.map((block) => stringOf(block["thinking"])).join(""),
    toolCalls: blocks
      .filter(({ type }) => type === "tool_use")
      .map((block) => ({
        id: stringOf(block["id"]),
        name: stringOf(block["name"]),
        arguments: block["input"],
      })),
    attachments: blocks
      .filter(({ type }) => type === "image" || type === "document")
      .map((block) => {
        const source = isObject(block["source"]) ? block["source"] : {};
        return stringOf(source["media_type"]) || asText(block["type"]);
      }),
  });
  const toolResults = blocks
    .filter(({ type }) => type === "tool_result")
    .map((block) => ({
      id: stringOf(block["tool_use_id"]),
      name: "",
      text: blocksText(block["content"]),
      isError: block["is_error"] === true,
    }));
  if (toolResults.length === 0) return [spoken];
  const results = message("tool", { toolResults });
  return spoken.text === "" && spoken.attachments.length === 0 ? [results] : [results, spoken];
}
