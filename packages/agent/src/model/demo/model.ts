import { randomUUID } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { readConversation } from "./conversation.ts";
import { introduction, type DemoFacts } from "./guide.ts";
import { collected, paced, partsOf, usageOf } from "./stream-parts.ts";
import { runInstructions } from "./run-instructions.ts";
import { titleOrSummary } from "./title-and-summary.ts";
import { nextAnswer, AnswerBuilder, type DemoAnswer } from "./answer-builder.ts";

export interface DemoOptions {
  facts: () => DemoFacts;
  /** Delay between two chunks; 0 sends them at once. */
  paceMs: number;
  createId?: () => string;
}

/**
 * A model for people without a key. It is not an AI and says so. It drives the real loop with real tools, and
 * is deterministic.
 */
export function openDemoModel(options: DemoOptions): LanguageModelV4 {
  const createId = options.createId ?? (() => `demo-${randomUUID()}`);
  const respond = (call: LanguageModelV4CallOptions) => {
    const answer = replyTo(call, options.facts());
    return partsOf(answer, usageOf(JSON.stringify(call.prompt).length, answer), createId);
  };
  return {
    specificationVersion: "v4",
    provider: "demo",
    modelId: "guide",
    supportedUrls: {},
    doGenerate: (call) => Promise.resolve(collected(respond(call))),
    doStream: (call) =>
      Promise.resolve({ stream: paced(respond(call), options.paceMs, call.abortSignal) }),
  };
}

function replyTo(call: LanguageModelV4CallOptions, facts: DemoFacts): DemoAnswer {
  const { system, request, answered, isFirst } = readConversation(call.prompt);
  const job = titleOrSummary(system, request);
  if (job !== null) return { think: "", say: job, calls: [] };
  const builder = new AnswerBuilder((call.tools ?? []).map(({ name }) => name));
  if (isFirst) builder.say(introduction);
  return nextAnswer(runInstructions(request, builder, facts), answered, builder);
}
