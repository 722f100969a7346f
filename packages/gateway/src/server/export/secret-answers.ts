import { secretFields, withoutAnswersTo } from "../../telemetry/mask-answers.ts";

/**
 * Masks what was typed into hidden fields, in events that are given in their order: older logs have it in clear, and an
 * answer has no word of its form, which stands before it. What is remembered are forms that wait for an answer, and of
 * these the gateway lets only so many be open.
 */
export function secretAnswersMasked(): (event: unknown) => unknown {
  const waiting = new Map<unknown, ReadonlySet<string>>();
  return (event) => {
    const { kind, askId, request, outcome } = (event ?? {}) as Readonly<Record<string, unknown>>;
    if (kind === "ask-opened") {
      const names = secretFields(request);
      if (names.size > 0) waiting.set(askId, names);
    }
    const names = kind === "ask-settled" ? waiting.get(askId) : undefined;
    if (names === undefined) return event;
    waiting.delete(askId);
    return { ...(event as object), outcome: withoutAnswersTo(names, outcome) };
  };
}
