import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { Usage } from "../core/record.ts";
import { matchToolName } from "./sdk-tools.ts";
import { interruptedStream, toModelProblem } from "./model-problem.ts";
import type { OfferedTool, StepPart } from "./stream.ts";
import { inputProblem } from "./tool-input-problem.ts";

type Metadata = Record<string, Record<string, unknown>>;
type Finish = Extract<StepPart, { type: "finish" }>;
type SdkCall = Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>;

/** DeepSeek refuses a tool result unless the reasoning before the call is sent back. */
const wantsThoughtsBack = new Set(["deepseek"]);

/** Converts the AI SDK's parts of one answer to ours, and collects the metadata that providers need back. */
export class StepReader {
  readonly #model: Pick<LanguageModelV4, "provider" | "modelId">;
  readonly #names: readonly string[];
  readonly #open = new Map<string, { metadata: Metadata; spoke: boolean }>();
  readonly #announced = new Set<string>();
  #finish: Finish | undefined;

  constructor(model: Pick<LanguageModelV4, "provider" | "modelId">, tools: readonly OfferedTool[]) {
    this.#model = model;
    this.#names = tools.map(({ name }) => name);
  }

  *read(part: TextStreamPart<ToolSet>): Generator<StepPart, void, undefined> {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#part(part).metadata = part.providerMetadata ?? {};
        break;
      case "text-delta":
      case "reasoning-delta":
        yield* this.#delta(part);
        break;
      case "text-end":
      case "reasoning-end":
        yield* this.#end(part);
        break;
      case "tool-input-start":
        yield* this.#announce(part.id, part.toolName);
        break;
      case "tool-call":
        yield* this.#call(part);
        break;
      case "finish-step":
        this.#finish = this.#ended(part.finishReason, part.rawFinishReason, part.usage);
        break;
      case "error":
        throw toModelProblem(part.error, this.#model);
      default:
      // Sources, files, pings and bookkeeping are not stored.
    }
  }

  /** The last part. Throws when the stream ended without it. */
  finish(): Finish {
    if (this.#finish === undefined) throw interruptedStream(this.#model);
    return this.#finish;
  }

  *#delta(part: Extract<TextStreamPart<ToolSet>, { type: "text-delta" | "reasoning-delta" }>) {
    const open = this.#part(part);
    open.metadata = merged(open.metadata, part.providerMetadata);
    if (part.text === "") return;
    open.spoke = true;
    yield {
      type: isText(part) ? ("text-delta" as const) : ("thought-delta" as const),
      partId: part.id,
      delta: part.text,
    };
  }

  *#end(part: Extract<TextStreamPart<ToolSet>, { type: "text-end" | "reasoning-end" }>) {
    const open = this.#part(part);
    this.#open.delete(keyOf(part));
    const metadata = merged(open.metadata, part.providerMetadata);
    const given = Object.keys(metadata).length > 0;
    // Hidden reasoning has no text but must be sent back.
    if (!open.spoke && (isText(part) || !given)) return;
    if (isText(part)) {
      yield {
        type: "text-end" as const,
        partId: part.id,
        ...(given ? { provider: metadata } : {}),
      };
      return;
    }
    const providerId = this.#model.provider.split(".")[0] ?? "";
    const back = given
      ? metadata
      : wantsThoughtsBack.has(providerId)
        ? { openaiCompatible: {} }
        : null;
    yield {
      type: "thought-end" as const,
      partId: part.id,
      ...(back === null ? {} : { provider: back }),
    };
  }

  *#announce(callId: string, toolName: string) {
    if (this.#announced.has(callId)) return;
    this.#announced.add(callId);
    const tool = matchToolName(toolName, this.#names) ?? toolName;
    yield { type: "tool-input-start" as const, callId, tool };
  }

  *#call(part: SdkCall): Generator<StepPart, void, undefined> {
    const { toolCallId: callId, input, providerMetadata } = part;
    yield* this.#announce(callId, part.toolName);
    if (part.invalid === true) {
      const tool = matchToolName(part.toolName, this.#names) ?? part.toolName;
      const problem = inputProblem(part.error, tool, this.#names);
      yield { type: "tool-call-invalid", callId, tool, input, problem };
      return;
    }
    yield {
      type: "tool-call",
      callId,
      tool: part.toolName,
      input,
      ...(providerMetadata === undefined ? {} : { provider: providerMetadata }),
    };
  }

  #part(part: { type: string; id: string }) {
    const key = keyOf(part);
    const open = this.#open.get(key) ?? { metadata: {}, spoke: false };
    this.#open.set(key, open);
    return open;
  }

  #ended(reason: FinishReason, raw: string | undefined, usage: LanguageModelUsage): Finish {
    const end = (finish: Finish["finish"]): Finish => ({
      type: "finish",
      finish,
      usage: usageOf(usage),
    });
    switch (reason) {
      case "stop":
      case "tool-calls":
      case "length":
        return end(reason);
      case "content-filter":
        return end("refusal");
      case "interrupted":
        throw interruptedStream(this.#model);
      case "error":
        throw toModelProblem(
          { message: `The answer ended with ${raw ?? "an error"}`, isRetryable: true },
          this.#model,
        );
      default:
        // A finish reason that the SDK does not know: accept the answer.
        return end(this.#announced.size > 0 ? "tool-calls" : "stop");
    }
  }
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type.startsWith("text") ? "text" : "thought"} ${id}`;
}

function isText({ type }: { type: string }): boolean {
  return type.startsWith("text");
}

function merged(first: Metadata, second: Metadata | undefined): Metadata {
  if (second === undefined) return first;
  const all = { ...first };
  for (const [provider, values] of Object.entries(second)) {
    all[provider] = { ...all[provider], ...values };
  }
  return all;
}

function usageOf(usage: LanguageModelUsage): Usage {
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    thoughtTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
    cachedReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cachedWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
}
