export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

export interface Outcome {
  text: string;
  failed: boolean;
}

/** One answer: reasoning, text, and the calls that end it. An answer without calls ends the turn. */
export interface DemoAnswer {
  think: string;
  say: string;
  calls: Call[];
}

/**
 * A turn of the demo model as one generator. For every step it is run again from its start with the tool
 * results so far, so it needs no state.
 */
export type DemoTurn<Result = void> = Generator<DemoAnswer, Result, Outcome[]>;

/** Collects reasoning and text until the next calls. */
export class AnswerBuilder {
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

  answer(calls: Call[]): DemoAnswer {
    const answer = { think: this.#thoughts.join("\n\n"), say: this.#words.join("\n\n"), calls };
    this.#thoughts = [];
    this.#words = [];
    return answer;
  }

  *call(...calls: Call[]): DemoTurn<Outcome[]> {
    return yield this.answer(calls);
  }
}

/** Replays a turn with the results so far, and returns its next answer. */
export function nextAnswer(
  turn: DemoTurn,
  answered: readonly Outcome[][],
  builder: AnswerBuilder,
): DemoAnswer {
  let state = turn.next([]);
  for (const outcomes of answered) {
    if (state.done === true) break;
    state = turn.next(outcomes);
  }
  return state.done === true ? builder.answer([]) : state.value;
}
