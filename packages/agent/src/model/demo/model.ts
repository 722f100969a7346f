import { randomUUID } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { readConversation } from "./conversation.ts";
import { introduction, type DemoFacts } from "./guide.ts";
import { collected, paced, partsOf, usageOf } from "./stream-parts.ts";
import { playTurn } from "./run-instructions.ts";
import { smallJob } from "./title-and-summary.ts";
import { nextMove, Stage, type Move } from "./answer-builder.ts";

export interface DemoOptions {
  facts: () => DemoFacts;
  /** Between two pieces of an answer; 0 sends it at once. */
  paceMs: number;
  createId?: () => string;
}

/**
 * A model for those who have none. It is no AI and says so; it drives the real loop with real tools, and
 * the same conversation always gets the same answer.
 */
export function openDemoModel(options: DemoOptions): LanguageModelV4 {
  const createId = options.createId ?? (() => `demo-${randomUUID()}`);
  const answer = (call: LanguageModelV4CallOptions) => {
    const move = replyTo(call, options.facts());
    return partsOf(move, usageOf(JSON.stringify(call.prompt).length, move), createId);
  };
  return {
    specificationVersion: "v4",
    provider: "demo",
    modelId: "guide",
    supportedUrls: {},
    doGenerate: (call) => Promise.resolve(collected(answer(call))),
    doStream: (call) =>
      Promise.resolve({ stream: paced(answer(call), options.paceMs, call.abortSignal) }),
  };
}

function replyTo(call: LanguageModelV4CallOptions, facts: DemoFacts): Move {
  const { system, request, answered, isFirst } = readConversation(call.prompt);
  const job = smallJob(system, request);
  if (job !== null) return { think: "", say: job, calls: [] };
  const stage = new Stage((call.tools ?? []).map(({ name }) => name));
  if (isFirst) stage.say(introduction);
  return nextMove(playTurn(request, stage, facts), answered, stage);
}
