import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelMessage, StreamTextInclude, ToolCallRepairFunction, ToolSet } from "ai";
import type { z } from "zod";
import type { Usage } from "../core/record.ts";
import { cacheMarked } from "./prompt-caching.ts";
import { offeredTools, toolNamed } from "./sdk-tools.ts";
import { toModelProblem } from "./model-problem.ts";
import { StepReader } from "./step-reader.ts";

/** One answer, thoughts included. It ends there as too long; providers want credit for all that is asked for. */
const answerTokensMax = 64_000;

/** What a model is shown of a tool. Calls are run by the loop, never by the AI SDK. */
export interface OfferedTool {
  name: string;
  description: string;
  input: z.ZodType | { jsonSchema: Record<string, unknown> };
}

export interface StepRequest {
  model: LanguageModelV4;
  system: string;
  messages: ModelMessage[];
  tools: readonly OfferedTool[];
  maxOutputTokens?: number;
  providerOptions?: Record<string, Record<string, unknown>>;
  signal: AbortSignal;
}

/** What one step streams, in words of ours: the AI SDK's own change with its major versions. */
export type StepPart =
  | { type: "text-delta"; partId: string; delta: string }
  | { type: "text-end"; partId: string; provider?: Record<string, unknown> }
  | { type: "thought-delta"; partId: string; delta: string }
  | { type: "thought-end"; partId: string; provider?: Record<string, unknown> }
  | { type: "tool-input-start"; callId: string; tool: string }
  | {
      type: "tool-call";
      callId: string;
      tool: string;
      input: unknown;
      provider?: Record<string, unknown>;
    }
  /** The model's input was no JSON or broke the schema: the model is told, and tries again. */
  | { type: "tool-call-invalid"; callId: string; tool: string; input: unknown; problem: string }
  | {
      type: "finish";
      finish: "stop" | "tool-calls" | "length" | "refusal" | "error";
      /** Cached tokens are counted within the input, thoughts within the output. */
      usage: Usage;
    };

/** Bodies of requests are as long as the conversation, and nobody looks at them. */
const include = {
  requestBody: false,
  requestMessages: false,
  rawChunks: false,
} as const satisfies StreamTextInclude;

/**
 * One answer of a model. The only file that calls the AI SDK. Throws ModelProblem; on abort, and when
 * its reader stops early, it just ends, and the connection with it.
 */
export async function* streamStep(request: StepRequest): AsyncGenerator<StepPart, void, undefined> {
  const { model, signal } = request;
  if (signal.aborted) return;
  const ours = new AbortController();
  try {
    const reader = new StepReader(model, request.tools);
    const stream = await openStream(request, AbortSignal.any([signal, ours.signal]));
    for await (const part of stream) {
      if (signal.aborted) return;
      yield* reader.read(part);
    }
    if (!signal.aborted) yield reader.finish();
  } catch (error) {
    if (signal.aborted) return;
    throw toModelProblem(error, model);
  } finally {
    ours.abort();
  }
}

async function openStream(request: StepRequest, abortSignal: AbortSignal) {
  const { streamText } = await loadSdk();
  const { system, messages, providerOptions } = cacheMarked(request);
  const { maxOutputTokens } = request;
  type Options = Parameters<typeof streamText>[0];
  const { stream } = streamText({
    model: request.model,
    ...(system === undefined ? {} : { instructions: system }),
    messages,
    tools: await offeredTools(request.tools),
    repairToolCall: repairName,
    maxRetries: 0,
    abortSignal,
    include,
    // The failure is thrown by the stream's reader; the SDK's own way is to print it.
    onError: () => {},
    ...(maxOutputTokens === undefined
      ? {}
      : { maxOutputTokens: Math.min(maxOutputTokens, answerTokensMax) }),
    providerOptions: providerOptions as NonNullable<Options["providerOptions"]>,
  });
  return stream;
}

/** Small models write `Read` for `read`. Input that is wrong is told to the model, not guessed. */
const repairName: ToolCallRepairFunction<ToolSet> = ({ toolCall, tools }) => {
  const toolName = toolNamed(toolCall.toolName, Object.keys(tools));
  const isOther = toolName !== undefined && toolName !== toolCall.toolName;
  return Promise.resolve(isOther ? { ...toolCall, toolName } : null);
};

/** Warnings of the SDK go to the console unless this is said before the first of them. */
async function loadSdk() {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return await import("ai");
}
