import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";

export type SdkPart = LanguageModelV4StreamPart;

/** An answer of the provider, and how its stream ends. */
export interface ProviderAnswer {
  parts: SdkPart[];
  /** Sends nothing more until it is aborted; without parts, not even the response headers. */
  hangs?: boolean;
  /** The connection breaks. */
  breaks?: boolean;
}

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

export const finished = (unified: "stop" | "tool-calls" = "stop"): SdkPart => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage,
});

export const text = (words: string): SdkPart[] => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: words },
  { type: "text-end", id: "0" },
];

export const call = (toolCallId: string, toolName: string, input: string): SdkPart[] => [
  { type: "tool-input-start", id: toolCallId, toolName },
  { type: "tool-input-delta", id: toolCallId, delta: input },
  { type: "tool-input-end", id: toolCallId },
  { type: "tool-call", toolCallId, toolName, input },
];

/** A mock provider that returns these answers in order. */
export function mockProvider(...answers: ProviderAnswer[]): MockLanguageModelV4 {
  const left = [...answers];
  return new MockLanguageModelV4({
    provider: "test.chat",
    modelId: "model",
    doStream: async (options) => {
      const answer = left.shift() ?? { parts: [...text("Nothing more."), finished()] };
      if (answer.hangs && answer.parts.length === 0) await stopped(options);
      return { stream: ReadableStream.from(spoken(answer, options)) };
    },
  });
}

async function* spoken(
  { parts, hangs = false, breaks = false }: ProviderAnswer,
  options: LanguageModelV4CallOptions,
): AsyncIterable<SdkPart> {
  yield { type: "stream-start", warnings: [] };
  yield* parts;
  if (hangs) await stopped(options);
  if (breaks) throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

function stopped({ abortSignal }: LanguageModelV4CallOptions): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new DOMException("Stopped", "AbortError"));
  if (abortSignal?.aborted) stop();
  abortSignal?.addEventListener("abort", stop, { once: true });
  return promise;
}
