import { isSecretName, masked } from "../../observe/mask.ts";

/** The fields of a form whose answers are to be seen by nobody: by what the form says of them, or by their names. */
export function secretFields(request: unknown): ReadonlySet<string> {
  const { requestedSchema } = recordOf(request);
  const fields = Object.entries(recordOf(recordOf(requestedSchema)["properties"]));
  return new Set(
    fields.filter(([name, field]) => isSecretField(name, field)).map(([name]) => name),
  );
}

function isSecretField(name: string, field: unknown): boolean {
  const { format, writeOnly, title } = recordOf(field);
  if (format === "password" || writeOnly === true || isSecretName(name)) return true;
  return typeof title === "string" && isSecretName(title);
}

/**
 * Masks them in events that are given in their order: an answer has no word of its form, which stands before it. What is
 * remembered are forms that wait for an answer, and of these the gateway lets only so many be open.
 */
export function secretAnswersMasked(): (event: unknown) => unknown {
  const waiting = new Map<unknown, ReadonlySet<string>>();
  return (event) => {
    const { kind, askId, request, outcome } = recordOf(event);
    if (kind === "ask-opened") {
      const names = secretFields(request);
      if (names.size > 0) waiting.set(askId, names);
    }
    const names = kind === "ask-settled" ? waiting.get(askId) : undefined;
    if (names === undefined) return event;
    waiting.delete(askId);
    const answers = Object.entries(recordOf(recordOf(outcome)["content"]));
    if (answers.length === 0) return event;
    const content = answers.map(([name, value]) => [name, names.has(name) ? masked : value]);
    return {
      ...recordOf(event),
      outcome: { ...recordOf(outcome), content: Object.fromEntries(content) as object },
    };
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
