import { isRecord, type QuestionItem } from "@landline/protocol";
import type { Settled } from "./outcome-text.ts";
import { isSecret, type FormField } from "./form-field.ts";
import { readForm } from "./form-model.ts";

const wordsMost = 500;

/** The answer in one line: "Name: login, After that: Lock the account". Secrets are hidden. */
export function answerText({ request }: QuestionItem, { outcome }: Settled): string | null {
  const content = "action" in outcome && outcome.action === "accept" ? outcome["content"] : null;
  if (!isRecord(content) || request.mode !== "form") return null;
  const given = readForm(request["requestedSchema"]).fields.flatMap((field) => {
    const words = valueWords(field, content[field.name]);
    return words === null ? [] : [{ label: field.label, words }];
  });
  const all =
    given.length === 1
      ? (given[0]?.words ?? "")
      : given.map(({ label, words }) => `${label}: ${words}`).join(", ");
  if (all === "") return null;
  return all.length > wordsMost ? `${all.slice(0, wordsMost)}…` : all;
}

function valueWords(field: FormField, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (isSecret(field)) return "(not shown)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one) => titleOf(field, String(one))).join(", ");
}

function titleOf(field: FormField, value: string): string {
  if (field.kind !== "choice" && field.kind !== "choices") return value;
  return field.choices.find((choice) => choice.value === value)?.title ?? value;
}
