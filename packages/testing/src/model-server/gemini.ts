import { geminiError } from "./gemini-error.ts";
import { readContents, partsText } from "./gemini-input.ts";
import { isObject, objectsOf, stringOf } from "./json.ts";
import { end, piece, UnreadableRequest } from "./provider.ts";
import type { Frame, PlayContext, Provider } from "./provider.ts";
import { textOf, toolCallsOf } from "./reply.ts";
import type { Playable, PlayablePart, PlayableToolCall, Usage } from "./reply.ts";

/** `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse` and `:generateContent`. */
export const gemini: Provider = {
  name: "gemini",
  streamType: "text/event-stream",
  malformed: 'data: {"candidates": [{"content": {"par\r\n\r\n',
  read(body, target) {
    if (!Array.isArray(body["contents"]))
      throw new UnreadableRequest("* GenerateContentRequest.contents: contents is not specified");
    const instruction = body["systemInstruction"] ?? body["system_instruction"];
    return {
      ...target,
      system: isObject(instruction) ? partsText(instruction["parts"], "\n") : "",
      messages: readContents(body["contents"]),
      tools: objectsOf(body["tools"])
        .flatMap((tool) => objectsOf(tool["functionDeclarations"]))
        .map((declaration) => ({
          name: stringOf(declaration["name"]),
          description: stringOf(declaration["description"]),
          schema: declaration["parametersJsonSchema"] ?? declaration["parameters"],
        })),
    };
  },
  toolCallId: (ids) => ids("", 8),
  stream: (reply, context) => ({
    frames: contentFrames(reply, context),
    failure: (problem) => event(geminiError(problem).body),
  }),
  whole(reply, context) {
    const parts = reply.parts.flatMap((part) => {
      if (part.type === "tool-call") return callPart(part, context);
      return part.type === "refusal" ? [] : [textPart(part.type, part.text)];
    });
    return {
      candidates: [{ content: { parts, role: "model" }, ...endingOf(reply), index: 0 }],
      ...heading(reply, context),
    };
  },
  error: geminiError,
};

/** Uses the line ends of the service. */
function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

function* contentFrames(reply: Playable, context: PlayContext): Iterable<Frame> {
  const head = heading(reply, context);
  const chunk = (parts: readonly object[], more: object = {}) =>
    event({ candidates: [{ content: { parts, role: "model" }, ...more, index: 0 }], ...head });
  for (const part of reply.parts) {
    if (part.type === "tool-call") {
      const parts = callPart(part, context);
      if (parts.length > 0) yield piece(chunk(parts), part.delayMs);
    } else if (part.type !== "refusal") {
      for (const { text, delayMs } of part.pieces)
        yield piece(chunk([textPart(part.type, text)]), delayMs);
    }
  }
  yield end(chunk([{ text: "" }], endingOf(reply)));
}

function textPart(type: Exclude<PlayablePart["type"], "tool-call" | "refusal">, text: string) {
  return type === "reasoning" ? { text, thought: true } : { text };
}

/** Arguments are one whole object. Other arguments are a malformed call, which the service does not show. */
function callPart(part: PlayableToolCall, { ids }: PlayContext): object[] {
  if (part.arguments === null) return [];
  return [
    {
      functionCall: { name: part.name, args: part.arguments, id: part.id },
      thoughtSignature: Buffer.from(ids("signature-", 16)).toString("base64"),
    },
  ];
}

function endingOf(reply: Playable): object {
  const malformed = toolCallsOf(reply).find((call) => call.arguments === null);
  if (malformed !== undefined)
    return {
      finishReason: "MALFORMED_FUNCTION_CALL",
      finishMessage: `Malformed function call: ${malformed.name}(${malformed.text})`,
    };
  switch (reply.stopReason) {
    case "max-tokens":
      return { finishReason: "MAX_TOKENS" };
    case "refusal": {
      const finishMessage = textOf(reply, "refusal");
      return { finishReason: "SAFETY", ...(finishMessage === "" ? {} : { finishMessage }) };
    }
    default:
      return { finishReason: "STOP" };
  }
}

function heading(reply: Playable, { ids, request }: PlayContext) {
  return {
    usageMetadata: usageMetadata(reply.usage),
    modelVersion: request.model,
    responseId: ids("", 22),
  };
}

function usageMetadata(usage: Required<Usage>) {
  return {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: Math.max(0, usage.outputTokens - usage.reasoningTokens),
    totalTokenCount: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedReadTokens === 0 ? {} : { cachedContentTokenCount: usage.cachedReadTokens }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.inputTokens }],
    ...(usage.reasoningTokens === 0 ? {} : { thoughtsTokenCount: usage.reasoningTokens }),
  };
}
