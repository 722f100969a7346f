import type { AnswerDraft, DraftAnswers } from "./answer-draft.ts";
import { isSecret, type FieldValue, type FormField } from "./form-field.ts";
import { initialValues, type FormModel, type FormValues } from "./form-model.ts";

/** The values that differ from the initial ones. */
export function draftAnswers(
  { fields }: FormModel,
  values: FormValues,
): Pick<AnswerDraft, "answers" | "secrets"> {
  const begun = fields.flatMap((field) => {
    const value = values.get(field.name);
    return value === undefined || isSame(value, field.initial) ? [] : [{ field, value }];
  });
  const partOf = (isWanted: (field: FormField) => boolean): DraftAnswers =>
    Object.fromEntries(
      begun.filter(({ field }) => isWanted(field)).map(({ field, value }) => [field.name, value]),
    );
  return { answers: partOf((field) => !isSecret(field)), secrets: partOf(isSecret) };
}

/** Restores the values of a draft. Ignores those that do not fit their field. */
export function valuesFromDraft(model: FormModel, { answers, secrets }: AnswerDraft): FormValues {
  const values = new Map(initialValues(model));
  for (const field of model.fields) {
    const begun = isSecret(field) ? secrets : answers;
    const value = Object.hasOwn(begun, field.name) ? begun[field.name] : undefined;
    if (value !== undefined && fits(field, value)) values.set(field.name, value);
  }
  return values;
}

function fits(field: FormField, value: FieldValue): boolean {
  switch (field.kind) {
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return value === "" || field.choices.some((choice) => choice.value === value);
    case "choices": {
      const offered = new Set(field.choices.map((choice) => choice.value));
      return typeof value === "object" && value.every((one) => offered.has(one));
    }
    default:
      return typeof value === "string";
  }
}

function isSame(value: FieldValue, other: FieldValue): boolean {
  if (typeof value !== "object" || typeof other !== "object") return value === other;
  return value.length === other.length && value.every((one, index) => one === other[index]);
}
