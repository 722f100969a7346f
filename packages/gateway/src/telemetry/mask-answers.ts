import { isSecretName, masked } from "./mask-secrets.ts";

/** The form fields whose answers are secret, by their schema or by their names. */
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

/** Returns the same outcome if there is nothing to mask. */
export function withoutAnswersTo<Outcome>(names: ReadonlySet<string>, outcome: Outcome): Outcome {
  const answers = Object.entries(recordOf(recordOf(outcome)["content"]));
  if (!answers.some(([name]) => names.has(name))) return outcome;
  const content = answers.map(([name, value]) => [name, names.has(name) ? masked : value]);
  return { ...outcome, content: Object.fromEntries(content) as object };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
