import type { PlanEntry } from "@agentclientprotocol/sdk";
import { EXTERNAL_DIRECTORY, type Rule } from "../permission/rule.ts";
import { newCompaction, type Compaction } from "./context-turns.ts";
import type {
  AttachmentsRefused,
  Cost,
  PermissionLevel,
  PromptSent,
  SeenFile,
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

/** The state of a session: the fold of its records. Only `applyRecord` changes it. */
export interface SessionState {
  created: SessionCreated;
  turns: Turn[];
  mode: string | null;
  model: string | null;
  effort: string | null;
  permissions: PermissionLevel;
  /** The level that the user chose since the session was opened; null means the configured level. */
  chosenPermissions: PermissionLevel | null;
  approved: Rule[];
  plan: PlanEntry[];
  title: string | null;
  /** Includes subagents. */
  cost: Cost | null;
  usage: Usage;
  /** All compactions, because an undo can go back past the last one. */
  compactions: Compaction[];
  refused: AttachmentsRefused[];
  /** The steps of all turns, by id. */
  steps: Map<string, Step>;
  calls: Map<string, ToolContentPart>;
}

export interface Turn {
  prompt: PromptSent;
  steps: Step[];
  ended: TurnEnded | null;
  undone: boolean;
  /** Files that the model read in this turn; `callId` is null for files of the prompt. */
  seen: (SeenFile & { callId: string | null })[];
}

export interface Step {
  stepId: string;
  /** Index among all steps of the session. */
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
    chosenPermissions: null,
    approved: [],
    plan: [],
    title: null,
    cost: null,
    usage: { ...noUsage },
    compactions: [],
    refused: [],
    steps: new Map(),
    calls: new Map(),
  };
}

/** Null when the first record is not `session-created`. */
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

/** Ignores a record that refers to an unknown turn, step or call. */
export function applyRecord(state: SessionState, record: SessionRecord): void {
  switch (record.kind) {
    case "session-created":
    case "notice-given":
    case "file-changed":
      return;
    case "prompt-sent":
      state.turns.push(newTurn(record));
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
    case "file-seen": {
      const turn = state.turns.findLast((each) => each.prompt.promptId === record.promptId);
      const { path, hash, lines, callId } = record;
      turn?.seen.push({ path, hash, lines, callId });
      return;
    }
    case "plan-changed":
      state.plan = record.entries;
      return;
    case "options-changed":
      state.mode = record.mode ?? state.mode;
      state.model = record.model ?? state.model;
      state.effort = record.effort ?? state.effort;
      if (record.permissions === undefined) return;
      state.permissions = record.permissions;
      state.chosenPermissions = record.resetFrom === undefined ? record.permissions : null;
      return;
    case "title-changed":
      state.title = record.title;
      return;
    case "rule-approved":
      state.approved.push(...record.rules.map(narrowed));
      return;
    case "compacted":
      state.compactions.push(newCompaction(state, record));
      spend(state, record);
      return;
    case "attachments-refused":
      state.refused.push(record);
      return;
    case "subagent-spent":
      spend(state, record);
      return;
    case "files-restored": {
      const turn = state.turns.findLast((each) => each.prompt.promptId === record.promptId);
      if (turn) turn.undone = record.direction === "undo";
      return;
    }
  }
}

function newTurn(prompt: PromptSent): Turn {
  const seen = prompt.parts.flatMap((part) =>
    part.type === "text" && part.file ? [{ ...part.file, callId: null }] : [],
  );
  return { prompt, steps: [], ended: null, undone: false, seen };
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

function addUsage(left: Usage, right: Usage): Usage {
  return combined(left, right, (one, other) => one + other);
}

export function usageSince(before: Usage, now: Usage): Usage {
  return combined(now, before, (one, other) => one - other);
}

function combined(
  left: Usage,
  right: Usage,
  combine: (left: number, right: number) => number,
): Usage {
  return {
    inputTokens: combine(left.inputTokens, right.inputTokens),
    outputTokens: combine(left.outputTokens, right.outputTokens),
    thoughtTokens: combine(left.thoughtTokens, right.thoughtTokens),
    cachedReadTokens: combine(left.cachedReadTokens, right.cachedReadTokens),
    cachedWriteTokens: combine(left.cachedWriteTokens, right.cachedWriteTokens),
  };
}

/** Approvals of earlier versions have no `access`. Most were given for reading. */
function narrowed(rule: Rule): Rule {
  const isUnclear = rule.permission === EXTERNAL_DIRECTORY && rule.access === undefined;
  return isUnclear && rule.action === "allow" ? { ...rule, access: "read" } : rule;
}
