import { secretFields, withoutAnswersTo } from "../../telemetry/mask-answers.ts";

/**
 * Masks the values of secret form fields in a sequence of events, because older logs contain them in clear text. It
 * remembers unanswered forms, since an answer does not contain its form; the gateway limits how many are open.
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
