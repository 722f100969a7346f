import { contains, type JsonObject } from "./json.ts";
import type { Answer, Scenario } from "./scenario.ts";
import type { Usual } from "./session-methods.ts";
import { filled, type StepContext } from "./step-context.ts";

/** Finds the scenario's answer to a request, and counts how often it was given. */
export class Answers {
  readonly #listed: Scenario["answers"] & {};
  readonly #given = new Map<Answer, number>();

  constructor(listed: Scenario["answers"] & {}) {
    this.#listed = listed;
  }

  take(method: string, params: JsonObject): Answer {
    const listed = this.#listed[method] ?? [];
    const answers = Array.isArray(listed) ? (listed as readonly Answer[]) : [listed as Answer];
    const answer = answers.find(
      (candidate) =>
        contains(params, candidate.match ?? {}) &&
        (this.#given.get(candidate) ?? 0) < (candidate.times ?? Infinity),
    );
    if (answer === undefined) return {};
    this.#given.set(answer, (this.#given.get(answer) ?? 0) + 1);
    return answer;
  }
}

/** The fields of a response besides `jsonrpc` and `id`. Only fields from the scenario are templates. */
export function responseFields(usual: Usual, answer: Answer, context: StepContext): JsonObject {
  const { error, raw, result, add = {} } = answer;
  if (error !== undefined) return { error: filled(error, context) };
  if (raw !== undefined) return filled(raw, context);
  if (result !== undefined) return { result: filled(result, context) };
  return { result: { ...usual.result, ...filled(add, context) } };
}
