/** A call of a tool that the demo model makes. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

export interface Outcome {
  text: string;
  failed: boolean;
}

/** One answer: what is thought and said, and the calls that end it. Without calls the turn is over. */
export interface Move {
  think: string;
  say: string;
  calls: Call[];
}

/**
 * What the demo model does in one turn, written as if it went on without a break. It is played again
 * from its start for every step, and fed what the tools answered so far, so that it needs no memory.
 */
export type Play<Result = void> = Generator<Move, Result, Outcome[]>;

/** What has been thought and said since the last calls, and which tools there are. */
export class Stage {
  readonly tools: readonly string[];
  #thoughts: string[] = [];
  #words: string[] = [];

  constructor(tools: readonly string[]) {
    this.tools = tools;
  }

  think(text: string): void {
    this.#thoughts.push(text);
  }

  say(text: string): void {
    this.#words.push(text);
  }

  move(calls: Call[]): Move {
    const move = { think: this.#thoughts.join("\n\n"), say: this.#words.join("\n\n"), calls };
    this.#thoughts = [];
    this.#words = [];
    return move;
  }

  *call(...calls: Call[]): Play<Outcome[]> {
    return yield this.move(calls);
  }
}

/** The next move of a play, after what the tools answered to its moves before. */
export function nextMove(play: Play, answered: readonly Outcome[][], stage: Stage): Move {
  let state = play.next([]);
  for (const outcomes of answered) {
    if (state.done === true) break;
    state = play.next(outcomes);
  }
  return state.done === true ? stage.move([]) : state.value;
}
