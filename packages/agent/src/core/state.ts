import type { PlanEntry } from "@agentclientprotocol/sdk";
import type { Rule } from "../permission/rule.ts";
import { newCompaction, type Compaction } from "./kept-turns.ts";
import type {
  Cost,
  PermissionLevel,
  PromptSent,
  SessionCreated,
  SessionRecord,
  StepEnded,
  StepStarted,
  TextAdded,
  ThoughtAdded,
  ToolCalled,
  ToolEnded,
  TurnEnded,
  Usage,
} from "./record.ts";

/** What the records of a session come to. Only `applyRecord` changes it. */
export interface SessionState {
  created: SessionCreated;
  turns: Turn[];
  mode: string | null;
  model: string | null;
  effort: string | null;
  permissions: PermissionLevel;
  approved: Rule[];
  plan: PlanEntry[];
  title: string | null;
  cost: Cost | null;
  usage: Usage;
  /** All of them: an undo may reach behind the last. */
  compactions: Compaction[];
  /** By their ids, the same as in the turns. */
  steps: Map<string, Step>;
  calls: Map<string, ToolContentPart>;
}

export interface Turn {
  prompt: PromptSent;
  steps: Step[];
  ended: TurnEnded | null;
  undone: boolean;
}

export interface Step {
  stepId: string;
  /** Of all steps of the session, from nought. */
  number: number;
  modelId: string;
  parts: StepContent[];
  ended: StepEnded | null;
}

export type StepContent =
  | { type: "text"; record: TextAdded }
  | { type: "thought"; record: ThoughtAdded }
  | ToolContentPart;

export interface ToolContentPart {
  type: "tool";
  call: ToolCalled;
  result: ToolEnded | null;
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  thoughtTokens: 0,
  cachedReadTokens: 0,
  cachedWriteTokens: 0,
};

export function newState(created: SessionCreated): SessionState {
  return {
    created,
    turns: [],
    mode: null,
    model: null,
    effort: null,
    permissions: "ask",
    approved: [],
    plan: [],
    title: null,
    cost: null,
    usage: { ...noUsage },
    compactions: [],
    steps: new Map(),
    calls: new Map(),
  };
}

/** Null when the records do not begin as a session's do. */
export function foldRecords(records: Iterable<SessionRecord>): SessionState | null {
  let state: SessionState | null = null;
  for (const record of records) {
    if (state === null) {
      if (record.kind !== "session-created") return null;
      state = newState(record);
    } else {
      applyRecord(state, record);
    }
  }
  return state;
}

/** Total: a record that fits nothing (a step of no turn) changes nothing. */
export function applyRecord(state: SessionState, record: SessionRecord): void {
  switch (record.kind) {
    case "session-created":
    case "notice-given":
    case "file-changed":
      return;
    case "prompt-sent":
      state.turns.push({ prompt: record, steps: [], ended: null, undone: false });
      return;
    case "step-started":
      startStep(state, record);
      return;
    case "text-added":
      state.steps.get(record.stepId)?.parts.push({ type: "text", record });
      return;
    case "thought-added":
      state.steps.get(record.stepId)?.parts.push({ type: "thought", record });
      return;
    case "tool-called":
      addCall(state, record);
      return;
    case "tool-ended": {
      const part = state.calls.get(record.callId);
      if (part) part.result ??= record;
      return;
    }
    case "step-ended":
      endStep(state, record);
      return;
    case "turn-ended": {
      const turn = state.turns.findLast((each) => each.prompt.promptId === record.promptId);
      if (turn) turn.ended ??= record;
      return;
    }
    case "plan-changed":
      state.plan = record.entries;
      return;
    case "options-changed":
      state.mode = record.mode ?? state.mode;
      state.model = record.model ?? state.model;
      state.effort = record.effort ?? state.effort;
      state.permissions = record.permissions ?? state.permissions;
      return;
    case "title-changed":
      state.title = record.title;
      return;
    case "rule-approved":
      state.approved.push(...record.rules);
      return;
    case "compacted":
      state.compactions.push(newCompaction(state, record));
      spend(state, record);
      return;
    case "files-restored": {
      const turn = state.turns.findLast((each) => each.prompt.promptId === record.promptId);
      if (turn) turn.undone = record.direction === "undo";
      return;
    }
  }
}

function startStep(state: SessionState, record: StepStarted): void {
  const { stepId, modelId, promptId } = record;
  const turn = state.turns.findLast((each) => each.prompt.promptId === promptId);
  if (!turn || state.steps.has(stepId)) return;
  const { size: number } = state.steps;
  const step: Step = { stepId, number, modelId, parts: [], ended: null };
  turn.steps.push(step);
  state.steps.set(stepId, step);
}

function addCall(state: SessionState, call: ToolCalled): void {
  const step = state.steps.get(call.stepId);
  if (!step || state.calls.has(call.callId)) return;
  const part: ToolContentPart = { type: "tool", call, result: null };
  step.parts.push(part);
  state.calls.set(call.callId, part);
}

function endStep(state: SessionState, record: StepEnded): void {
  const step = state.steps.get(record.stepId);
  if (!step || step.ended) return;
  step.ended = record;
  spend(state, record);
}

function spend(state: SessionState, { usage, cost }: Pick<StepEnded, "usage" | "cost">): void {
  if (usage) state.usage = addUsage(state.usage, usage);
  if (!cost) return;
  state.cost = { amount: (state.cost?.amount ?? 0) + cost.amount, currency: cost.currency };
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    thoughtTokens: left.thoughtTokens + right.thoughtTokens,
    cachedReadTokens: left.cachedReadTokens + right.cachedReadTokens,
    cachedWriteTokens: left.cachedWriteTokens + right.cachedWriteTokens,
  };
}
