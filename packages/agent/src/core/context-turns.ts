import type { Compacted } from "./record.ts";
import type { SessionState, Step, Turn } from "./state.ts";

/**
 * A summary that replaces the start of the conversation. Positions are indexes, because turns and steps are
 * only appended.
 */
export interface Compaction {
  summary: string;
  /** The first step that is not summarised. */
  from: StepPosition;
  /** Steps at that time. Usage reported before it no longer applies. */
  stepsBefore: number;
  /** Turns in the summary; the last one possibly in part. */
  summarised: number;
  /** Ids of the prompts among them that were undone at that time. */
  undone: readonly string[];
}

/** The indexes of a turn and a step, which may not exist yet. */
interface StepPosition {
  turn: number;
  step: number;
}

export function newCompaction(state: SessionState, record: Compacted): Compaction {
  const { turns } = state;
  const from = positionOf(turns, record.keepFrom) ?? end(turns);
  const summarised = from.step > 0 ? from.turn + 1 : from.turn;
  const undone = undoneOf(turns, summarised);
  return { summary: record.summary, from, stepsBefore: state.steps.size, summarised, undone };
}

function positionOf(turns: readonly Turn[], id: string | null): StepPosition | null {
  if (id === null) return null;
  const turn = turns.findLastIndex(
    (each) => each.prompt.promptId === id || each.steps.some((step) => step.stepId === id),
  );
  if (turn === -1) return null;
  const step = turns[turn]?.steps.findIndex((each) => each.stepId === id) ?? -1;
  return { turn, step: Math.max(step, 0) };
}

/** Keeps only the prompt of the current turn. */
function end(turns: readonly Turn[]): StepPosition {
  const last = turns.at(-1);
  if (last?.ended !== null) return { turn: turns.length, step: 0 };
  return { turn: turns.length - 1, step: last.steps.length };
}

function undoneOf(turns: readonly Turn[], count: number): string[] {
  return turns.slice(0, count).flatMap((turn) => (turn.undone ? [turn.prompt.promptId] : []));
}

/**
 * The summary that the model reads. A summary does not apply if one of its prompts was undone or redone
 * since.
 */
export function lastCompaction(state: SessionState): Compaction | null {
  const holds = ({ summarised, undone }: Compaction) => {
    const now = undoneOf(state.turns, summarised);
    return now.length === undone.length && now.every((id, index) => id === undone[index]);
  };
  return state.compactions.findLast(holds) ?? null;
}

/** The turns that the model still reads. The first may lack its summarised steps. */
export function contextTurns(state: SessionState): { turn: Turn; steps: readonly Step[] }[] {
  const from = lastCompaction(state)?.from ?? { turn: 0, step: 0 };
  return state.turns.slice(from.turn).flatMap((turn, index) => {
    if (!isRead(turn)) return [];
    return [{ turn, steps: index === 0 ? turn.steps.slice(from.step) : turn.steps }];
  });
}

function isRead(turn: Turn): boolean {
  return !turn.undone && turn.prompt.parts.length > 0;
}
