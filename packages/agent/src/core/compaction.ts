import { randomUUIDv7 } from "node:crypto";
import { errorMessage } from "@landline/system/error-message";
import { loopLimits } from "../limits.ts";
import { ModelProblem, type ModelInfo } from "../model/model.ts";
import { promptTokens, stepTokens } from "./context-size.ts";
import { costOf } from "./cost.ts";
import { contextTurns, lastCompaction } from "./context-turns.ts";
import { SUMMARY_PROMPT } from "./prompt-prefixes.ts";
import type { Usage } from "./record.ts";
import { retryDelayMs, waitUnlessAborted } from "./retry.ts";
import type { SessionState, Step, Turn } from "./state.ts";
import type { StepPlan, TurnHost } from "./turn-host.ts";

/** Maximum tokens at the end of the conversation that are not summarised. */
const keptTokensMax = 15_000;
/** Maximum characters of a tool output in the text to summarise. */
const summarisedOutputCharacters = 2_000;

/**
 * Asks the model to summarise all but the end of the conversation. Returns null on success; otherwise the
 * reason, and nothing has changed.
 */
export async function compact(
  host: TurnHost,
  plan: StepPlan,
  signal: AbortSignal,
  wish = "",
): Promise<string | null> {
  const compactionId = randomUUIDv7();
  const { head, keepFrom } = split(host.state, plan.info);
  if (head === "") return "There is nothing to summarise yet.";
  host.show({ kind: "compaction-changed", compactionId, status: "started" });
  try {
    const { summary, usage } = await summarise(host, plan, head, wish, signal);
    const cost = usage ? costOf(plan.info, usage) : null;
    host.append({
      kind: "compacted",
      compactionId,
      summary,
      keepFrom,
      ...(usage && { usage }),
      ...(cost && { cost }),
    });
    return null;
  } catch (error) {
    const words = errorMessage(error);
    host.show({ kind: "compaction-changed", compactionId, status: "failed", error: words });
    return `The conversation could not be summarised: ${words}`;
  }
}

interface Summary {
  summary: string;
  usage: Usage | null;
}

/** Retried like a step. When the text does not fit the context, its older half is dropped. */
async function summarise(
  host: TurnHost,
  plan: StepPlan,
  head: string,
  wish: string,
  signal: AbortSignal,
): Promise<Summary> {
  let room = Math.floor(plan.info.contextTokens * 0.6) * 4;
  for (let tries = 1; ; tries += 1) {
    try {
      return await trySummary(host, plan, contentOf(host.state, head, room), wish, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelProblem)) throw error;
      if (error.reason === "context-overflow" && tries < loopLimits.triesPerStep) {
        room = Math.floor(Math.min(room, head.length) / 2);
        continue;
      }
      const delayMs = retryDelayMs(error, tries);
      if (delayMs === null) throw error;
      host.show({ kind: "retry-scheduled", attempt: tries, delayMs, reason: error.message });
      if (!(await waitUnlessAborted(delayMs, signal))) throw error;
    }
  }
}

function contentOf(state: SessionState, head: string, room: number): string {
  const before = lastCompaction(state)?.summary;
  const told = head.length > room ? `(cut)\n${head.slice(-room)}` : head;
  return before === undefined ? told : `Summary so far:\n${before}\n\n${told}`;
}

async function trySummary(
  host: TurnHost,
  plan: StepPlan,
  content: string,
  wish: string,
  signal: AbortSignal,
): Promise<Summary> {
  let summary = "";
  let usage: Usage | null = null;
  for await (const part of host.stream({
    model: plan.model,
    system: summaryPrompt(wish),
    messages: [{ role: "user", content }],
    tools: [],
    signal,
  })) {
    if (part.type === "text-delta") summary += part.delta;
    if (part.type === "finish") usage = part.usage;
  }
  if (signal.aborted) throw new Error("It was stopped.");
  if (summary.trim() === "") throw new Error("The model gave no summary.");
  return { summary: summary.trim(), usage };
}

function summaryPrompt(wish: string): string {
  const lines = [
    `${SUMMARY_PROMPT} between a person and a coding agent, so that the agent can go on from your summary alone.`,
    "Write it in these parts, leaving out a part that would be empty:",
    "- Aim: what the person wants, in their words where the words matter, with every wish and ban that still holds.",
    "- Done: what was changed, found out and decided, with full paths, names of functions, commands and their results.",
    "- State: what works, what fails and with which message, what was being done at the very end.",
    "- Next: the steps that are left, in order.",
    "Keep exact paths, identifiers and error texts. Invent nothing. No preamble.",
  ];
  if (wish !== "") lines.push(`The person asks that you mind this in particular: ${wish}`);
  return lines.join("\n");
}

interface Block {
  id: string;
  text: string;
  tokens: number;
  /** The prompt of the current turn, which is never summarised. */
  isAsked: boolean;
}

/** The text to summarise, and the id from which everything is kept. */
function split(state: SessionState, info: ModelInfo): { head: string; keepFrom: string | null } {
  const room = Math.min(keptTokensMax, info.contextTokens / 4);
  const blocks: Block[] = [];
  for (const { turn, steps } of contextTurns(state)) {
    blocks.push(promptBlock(turn));
    for (const step of steps) blocks.push(stepBlock(step));
  }
  let kept = blocks.length;
  for (let tokens = 0; kept > 0; kept -= 1) {
    tokens += blocks[kept - 1]?.tokens ?? 0;
    if (tokens > room) break;
  }
  const asked = blocks.findLastIndex((each) => each.isAsked);
  // Everything fits: keep only the current prompt, or there would be nothing to summarise.
  if (kept === 0) kept = asked === -1 ? blocks.length : asked;
  if (asked === blocks.length - 1) kept = Math.min(kept, asked);
  const head = blocks.slice(0, Math.max(kept, 0));
  const keepFrom = blocks[kept]?.id ?? null;
  if (head.every((each) => each.isAsked)) return { head: "", keepFrom };
  return { head: head.map((each) => each.text).join("\n\n"), keepFrom };
}

function promptBlock(turn: Turn): Block {
  const { promptId: id } = turn.prompt;
  const isAsked = turn.ended === null;
  return { id, text: promptText(turn), tokens: promptTokens(turn), isAsked };
}

function stepBlock(step: Step): Block {
  return { id: step.stepId, text: stepText(step), tokens: stepTokens(step), isAsked: false };
}

function promptText(turn: Turn): string {
  const texts = turn.prompt.parts.map((part) =>
    part.type === "text" ? part.text : "(an attachment)",
  );
  return `Person: ${texts.join("\n")}`;
}

function stepText(step: Step): string {
  return step.parts
    .flatMap((part) => {
      if (part.type === "text") return [`Agent: ${part.record.text}`];
      if (part.type === "thought") return [];
      const input = cut(JSON.stringify(part.call.input ?? {}));
      const output = cut(part.result?.output ?? "(interrupted)");
      return [`Agent called ${part.call.tool} ${input}\nResult: ${output}`];
    })
    .join("\n");
}

function cut(text: string): string {
  const limit = summarisedOutputCharacters;
  return text.length > limit ? `${text.slice(0, limit)} (cut)` : text;
}
