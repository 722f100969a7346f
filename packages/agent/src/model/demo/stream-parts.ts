import { setTimeout as wait } from "node:timers/promises";
import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { DemoAnswer } from "./answer-builder.ts";

/** The parts that a provider would stream for this answer. */
export function* partsOf(
  answer: DemoAnswer,
  usage: LanguageModelV4Usage,
  createId: () => string,
): Generator<LanguageModelV4StreamPart, void, undefined> {
  yield { type: "stream-start", warnings: [] };
  if (answer.think !== "") yield* spoken("reasoning", answer.think);
  if (answer.say !== "") yield* spoken("text", answer.say);
  for (const { tool, input } of answer.calls) {
    const id = createId();
    const text = JSON.stringify(input);
    yield { type: "tool-input-start", id, toolName: tool };
    for (const delta of piecesOf(text)) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: tool, input: text };
  }
  const unified = answer.calls.length > 0 ? "tool-calls" : "stop";
  yield { type: "finish", finishReason: { unified, raw: undefined }, usage };
}

function* spoken(
  type: "text" | "reasoning",
  text: string,
): Generator<LanguageModelV4StreamPart, void, undefined> {
  const id = `${type}-0`;
  yield { type: `${type}-start`, id };
  for (const delta of piecesOf(text)) yield { type: `${type}-delta`, id, delta };
  yield { type: `${type}-end`, id };
}

/** A few words at a time. */
function piecesOf(text: string): string[] {
  return text.match(/(?:\S+\s*){1,3}|\s+/g) ?? [];
}

/** Streams the parts with a delay between deltas. Stops with the signal. */
export function paced(
  parts: Iterator<LanguageModelV4StreamPart, void, undefined>,
  paceMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      const next = parts.next();
      if (next.done === true) return controller.close();
      if (paceMs > 0 && next.value.type.endsWith("-delta")) {
        await wait(paceMs, undefined, signal === undefined ? {} : { signal });
      }
      signal?.throwIfAborted();
      controller.enqueue(next.value);
    },
  });
}

/** Estimates usage at four characters per token. */
export function usageOf(inputCharacters: number, answer: DemoAnswer): LanguageModelV4Usage {
  const thought = tokens(answer.think.length);
  const text = tokens(answer.say.length + JSON.stringify(answer.calls).length);
  const input = tokens(inputCharacters);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: thought + text, text, reasoning: thought },
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** The whole answer at once, for callers that do not stream. */
export function collected(
  parts: Iterable<LanguageModelV4StreamPart>,
): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  const texts = { text: "", reasoning: "" };
  for (const part of parts) {
    if (part.type === "text-delta") texts.text += part.delta;
    if (part.type === "reasoning-delta") texts.reasoning += part.delta;
    if (part.type === "tool-call") content.push(part);
    if (part.type === "finish") {
      const { finishReason, usage } = part;
      const heard = (["reasoning", "text"] as const)
        .filter((type) => texts[type] !== "")
        .map((type) => ({ type, text: texts[type] }));
      return { content: [...heard, ...content], finishReason, usage, warnings: [] };
    }
  }
  throw new Error("An answer has no end.");
}
