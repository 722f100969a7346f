import type { Compacted } from "./record.ts";
import type { SessionState, Step, Turn } from "./state.ts";

/** A summary in place of what came before. Places are counted, because turns and steps only ever grow. */
export interface Compaction {
  summary: string;
  /** From here on everything stays. */
  from: Place;
  /** How many steps there were: what was measured in them says nothing any more. */
  stepsBefore: number;
  /** How many turns are in the summary, the last of them perhaps in part. */
  summarised: number;
  /** Which of those were undone then. */
  undone: readonly string[];
}

/** A step by its turn's and its own number; a step that is not there yet, too. */
interface Place {
  turn: number;
  step: number;
}

export function newCompaction(state: SessionState, record: Compacted): Compaction {
  const { turns } = state;
  const from = placeOf(turns, record.keepFrom) ?? end(turns);
  const summarised = from.step > 0 ? from.turn + 1 : from.turn;
  const undone = undoneOf(turns, summarised);
  return { summary: record.summary, from, stepsBefore: state.steps.size, summarised, undone };
}

function placeOf(turns: readonly Turn[], id: string | null): Place | null {
  if (id === null) return null;
  const turn = turns.findLastIndex(
    (each) => each.prompt.promptId === id || each.steps.some((step) => step.stepId === id),
  );
  if (turn === -1) return null;
  const step = turns[turn]?.steps.findIndex((each) => each.stepId === id) ?? -1;
  return { turn, step: Math.max(step, 0) };
}

/** Nothing stays but the prompt that is being answered. */
function end(turns: readonly Turn[]): Place {
  const last = turns.at(-1);
  if (last?.ended !== null) return { turn: turns.length, step: 0 };
  return { turn: turns.length - 1, step: last.steps.length };
}

function undoneOf(turns: readonly Turn[], count: number): string[] {
  return turns.slice(0, count).flatMap((turn) => (turn.undone ? [turn.prompt.promptId] : []));
}

/**
 * The summary that the model reads. One that tells of a prompt that was undone since, or that lacks one
 * that was brought back, does not count.
 */
export function lastCompaction(state: SessionState): Compaction | null {
  const holds = ({ summarised, undone }: Compaction) => {
    const now = undoneOf(state.turns, summarised);
    return now.length === undone.length && now.every((id, index) => id === undone[index]);
  };
  return state.compactions.findLast(holds) ?? null;
}

/** The turns after the last compaction; one that was cut within keeps its last steps. */
export function keptTurns(state: SessionState): { turn: Turn; steps: readonly Step[] }[] {
  const from = lastCompaction(state)?.from ?? { turn: 0, step: 0 };
  return state.turns.slice(from.turn).flatMap((turn, index) => {
    if (!isRead(turn)) return [];
    return [{ turn, steps: index === 0 ? turn.steps.slice(from.step) : turn.steps }];
  });
}

function isRead(turn: Turn): boolean {
  return !turn.undone && turn.prompt.parts.length > 0;
}
