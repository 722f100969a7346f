import { randomUUIDv7 } from "node:crypto";
import { loopLimits } from "../limits.ts";
import { ModelProblem } from "../model/model.ts";
import type { OfferedTool } from "../model/stream.ts";
import { endSkippedCalls, runCalls } from "./run-tool-calls.ts";
import { compact } from "./compaction.ts";
import { contextMeasure, needsCompaction } from "./context-size.ts";
import { costOf } from "./cost.ts";
import { addMessage, said, toModelMessages } from "./messages.ts";
import type { TurnEnded, Usage } from "./record.ts";
import { suspectedMedia } from "./refused-media.ts";
import { retryDelayMs, waitUnlessAborted } from "./retry.ts";
import type { SessionState } from "./state.ts";
import { Step, type StepCall, type StepOutcome } from "./step.ts";
import type { StepPlan, TurnHost } from "./turn-host.ts";

export type StopReason = Exclude<TurnEnded["stopReason"], "failed">;

export interface TurnOutcome {
  stopReason: StopReason;
  /** Includes subagents and summaries. */
  usage: Usage;
}

const LAST_STEP = `You have used all the steps of this turn, and have no tools left. Say in a few sentences what is done, what is not, and what you would do next.`;

/**
 * Runs steps and their tool calls until the model makes no more calls. Throws ModelProblem when the model
 * fails permanently. Work done until then is recorded in any case.
 */
export async function runTurn(
  host: TurnHost,
  promptId: string,
  signal: AbortSignal,
): Promise<StopReason> {
  const turn = { host, promptId, signal };
  for (let steps = 1; ; steps += 1) {
    const plan = await host.planStep();
    const isLast = steps > plan.stepsMax;
    if (plan.compacts && needsCompaction(host.state, plan.info)) await compact(host, plan, signal);
    const outcome = signal.aborted ? null : await answer(turn, plan, isLast);
    const calls = outcome?.calls ?? [];
    const stopReason = stopReasonOf(outcome, isLast);
    if (stopReason !== null) {
      endSkippedCalls(host, calls, stopReason === "cancelled" ? "stopped" : "turn-over");
      return stopReason;
    }
    const repeated = repeats(host.state, calls);
    await runCalls(host, { promptId, tools: plan.tools, calls, repeated, signal });
  }
}

interface RunningTurn {
  host: TurnHost;
  promptId: string;
  signal: AbortSignal;
}

/** Null when the turn continues. */
function stopReasonOf(outcome: StepOutcome | null, isLast: boolean): StopReason | null {
  if (outcome === null || outcome.finish === "cancelled") return "cancelled";
  if (isLast) return "max_turn_requests";
  if (outcome.finish === "refusal") return "refusal";
  if (outcome.calls.length > 0) return null;
  return outcome.finish === "length" ? "max_tokens" : "end_turn";
}

/** One answer. Transient failures of the provider are retried. */
async function answer(
  turn: RunningTurn,
  plan: StepPlan,
  isLast: boolean,
): Promise<StepOutcome | null> {
  let hasCompacted = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryStep(turn, plan, isLast);
    } catch (error) {
      if (turn.signal.aborted) return null;
      if (!(error instanceof ModelProblem)) throw error;
      if (dropRefusedMedia(turn.host, plan, error)) continue;
      if (error.reason === "context-overflow" && plan.compacts && !hasCompacted) {
        hasCompacted = true;
        await compact(turn.host, plan, turn.signal);
        continue;
      }
      const delayMs = retryDelayMs(error, tries);
      if (delayMs === null) throw error;
      turn.host.show({ kind: "retry-scheduled", attempt: tries, delayMs, reason: error.message });
      if (!(await waitUnlessAborted(delayMs, turn.signal))) return null;
    }
  }
}

/** Returns true when attachments may be the cause. They are then replaced by a note. */
function dropRefusedMedia(host: TurnHost, { info }: StepPlan, problem: ModelProblem): boolean {
  if (problem.reason !== "attachment-refused" && !problem.isTooManyBytes) return false;
  const attachments = suspectedMedia(host.state, info);
  if (attachments.length === 0) return false;
  const { message } = problem;
  host.append({ kind: "attachments-refused", modelId: info.id, attachments, problem: message });
  return true;
}

async function tryStep(turn: RunningTurn, plan: StepPlan, isLast: boolean): Promise<StepOutcome> {
  const { host, signal } = turn;
  const stepId = randomUUIDv7();
  const messages = toModelMessages(host.state, plan.info);
  if (isLast) addMessage(messages, said(LAST_STEP));
  host.append({ kind: "step-started", stepId, promptId: turn.promptId, modelId: plan.info.id });
  const step = new Step(host, plan, stepId);
  try {
    const outcome = await step.run(messages, isLast ? [] : offered(plan), signal);
    if (outcome.finish === "error" || (!outcome.shown && outcome.finish === "stop")) {
      throw new ModelProblem("provider-error", `${plan.info.name} answered with nothing.`, {
        isTransient: true,
      });
    }
    endStep(host, plan, stepId, outcome);
    return outcome;
  } catch (error) {
    const finish = signal.aborted ? "cancelled" : "error";
    host.append({ kind: "step-ended", stepId, finish });
    endSkippedCalls(host, step.calls, signal.aborted ? "stopped" : "broken-off");
    throw error;
  }
}

function endStep(host: TurnHost, plan: StepPlan, stepId: string, outcome: StepOutcome): void {
  const { finish, usage } = outcome;
  const cost = usage ? costOf(plan.info, usage) : null;
  host.append({
    kind: "step-ended",
    stepId,
    finish,
    ...(usage && { usage }),
    ...(cost && { cost }),
  });
  const measure = usage ? contextMeasure(host.state, plan.info) : null;
  if (measure) host.show(measure);
}

function offered(plan: StepPlan): OfferedTool[] {
  if (!plan.info.tools) return [];
  return [...plan.tools.values()].map(({ name, description, input }) => ({
    name,
    description,
    input,
  }));
}

/** The calls that each of the last steps made with the same input. */
function repeats(state: SessionState, calls: readonly StepCall[]): Set<string> {
  const steps = (state.turns.at(-1)?.steps ?? []).slice(0, -1).filter(hasCalls);
  const last = steps.slice(-loopLimits.repeatedCalls);
  if (last.length < loopLimits.repeatedCalls) return new Set();
  const made = last.map(
    ({ parts }) =>
      new Set(parts.flatMap((part) => (part.type === "tool" ? [nameOf(part.call)] : []))),
  );
  const again = calls.filter((call) => made.every((step) => step.has(nameOf(call))));
  return new Set(again.map(({ callId }) => callId));
}

function hasCalls({ parts }: { parts: readonly { type: string }[] }): boolean {
  return parts.some((part) => part.type === "tool");
}

function nameOf(call: { tool: string; input: unknown }): string {
  return `${call.tool} ${JSON.stringify(call.input)}`;
}
