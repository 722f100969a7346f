import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelMessage, StreamTextInclude, ToolCallRepairFunction, ToolSet } from "ai";
import type { z } from "zod";
import type { Usage } from "../core/record.ts";
import { withCacheMarkers } from "./prompt-caching.ts";
import { toSdkTools, matchToolName } from "./sdk-tools.ts";
import { toModelProblem } from "./model-problem.ts";
import { StepReader } from "./step-reader.ts";

/**
 * Maximum output tokens of one answer, including reasoning. Providers reserve credit for all requested
 * tokens.
 */
const answerTokensMax = 64_000;

/** A tool as the model sees it. The loop runs calls, not the AI SDK. */
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

/** The parts of one step. Our own types, because the AI SDK's change with its major versions. */
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
  /** The input was not JSON or did not match the schema: the model is told and tries again. */
  | { type: "tool-call-invalid"; callId: string; tool: string; input: unknown; problem: string }
  | {
      type: "finish";
      finish: "stop" | "tool-calls" | "length" | "refusal" | "error";
      /** Input includes cached tokens, output includes reasoning. */
      usage: Usage;
    };

/** Request bodies are as long as the conversation and not used. */
const include = {
  requestBody: false,
  requestMessages: false,
  rawChunks: false,
} as const satisfies StreamTextInclude;

/**
 * Streams one answer of a model. Throws ModelProblem. On abort, or when the caller stops reading, it ends and
 * closes the connection.
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
  const { system, messages, providerOptions } = withCacheMarkers(request);
  const { maxOutputTokens } = request;
  type Options = Parameters<typeof streamText>[0];
  const { stream } = streamText({
    model: request.model,
    ...(system === undefined ? {} : { instructions: system }),
    messages,
    tools: await toSdkTools(request.tools),
    repairToolCall: repairName,
    maxRetries: 0,
    abortSignal,
    include,
    // The reader of the stream throws the failure; the SDK would print it.
    onError: () => {},
    ...(maxOutputTokens === undefined
      ? {}
      : { maxOutputTokens: Math.min(maxOutputTokens, answerTokensMax) }),
    providerOptions: providerOptions as NonNullable<Options["providerOptions"]>,
  });
  return stream;
}

/** Small models write `Read` for `read`. Wrong input is reported to the model, not repaired. */
const repairName: ToolCallRepairFunction<ToolSet> = ({ toolCall, tools }) => {
  const toolName = matchToolName(toolCall.toolName, Object.keys(tools));
  const isOther = toolName !== undefined && toolName !== toolCall.toolName;
  return Promise.resolve(isOther ? { ...toolCall, toolName } : null);
};

/** The SDK prints warnings unless this is set before the first one. */
async function loadSdk() {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return await import("ai");
}
