import { asText, isObject, objectsOf, stringOf, type JsonObject } from "./json.ts";
import { message, withToolNames, type MessageReading, type ToolResultReading } from "./request.ts";

export function readContents(contents: unknown): MessageReading[] {
  return withToolNames(objectsOf(contents).flatMap(readContent));
}

export function partsText(parts: unknown, separator = ""): string {
  return objectsOf(parts)
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => stringOf(text))
    .filter((text) => text !== "")
    .join(separator);
}

function readContent(content: JsonObject): MessageReading[] {
  const parts = objectsOf(content["parts"]);
  const spoken = message(content["role"] === "model" ? "assistant" : "user", {
    text: partsText(parts),
    reasoning: parts
      .filter(({ thought }) => thought === true)
      .map(({ text }) => stringOf(text))
      .join(""),
    toolCalls: objectsOf(parts.map((part) => part["functionCall"])).map((call) => ({
      id: stringOf(call["id"]),
      name: stringOf(call["name"]),
      arguments: call["args"] ?? {},
    })),
    attachments: objectsOf(parts.map((part) => part["inlineData"] ?? part["fileData"])).map(
      (data) => stringOf(data["mimeType"]),
    ),
  });
  const toolResults = objectsOf(parts.map((part) => part["functionResponse"])).map(readResponse);
  if (toolResults.length === 0) return [spoken];
  const results = message("tool", { toolResults });
  return spoken.text === "" && spoken.attachments.length === 0 ? [results] : [results, spoken];
}

/** The answer is an object of any form; `output`, `content`, `result` and `error` are customary. */
function readResponse(answer: JsonObject): ToolResultReading {
  const response = isObject(answer["response"]) ? answer["response"] : {};
  const customary = response["output"] ?? response["content"] ?? response["result"];
  return {
    id: stringOf(answer["id"]),
    name: stringOf(answer["name"]),
    text: asText(customary ?? response["error"] ?? response),
    isError: response["error"] !== undefined,
  };
}
