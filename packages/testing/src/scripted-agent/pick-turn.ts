import type { Scenario, Turn } from "./scenario.ts";
import type { Session, SessionStore } from "./sessions.ts";

/** Picks a turn with a matching `match` first; the others are played in order. */
export function pickTurn(
  scenario: Scenario,
  store: SessionStore,
  session: Session,
  prompt: string,
): Turn | undefined {
  const { turns, whenTurnsRunOut = "last" } = scenario;
  const left = (turn: Turn, index: number, times: number) =>
    (session.played.get(index) ?? 0) < (turn.times ?? times);
  const inOrder = turns.flatMap((turn, index) => (turn.match === undefined ? [index] : []));
  const usable = (index: number) => {
    const turn = turns[index];
    return turn !== undefined && left(turn, index, 1);
  };
  let picked = turns.findIndex(
    (turn, index) =>
      turn.match !== undefined && fits(turn.match, prompt) && left(turn, index, Infinity),
  );
  if (picked === -1) picked = inOrder.find(usable) ?? -1;
  if (picked === -1 && whenTurnsRunOut === "last") picked = inOrder.at(-1) ?? -1;
  if (picked === -1 && whenTurnsRunOut === "again") {
    for (const index of inOrder) session.played.delete(index);
    picked = inOrder[0] ?? -1;
  }
  if (picked !== -1) store.countTurn(session, picked);
  return turns[picked];
}

/** `/pattern/flags`, or a substring of the prompt. */
export function fits(match: string, prompt: string): boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(match);
  if (pattern === null) return prompt.includes(match);
  return new RegExp(pattern[1] ?? "", pattern[2]).test(prompt);
}
