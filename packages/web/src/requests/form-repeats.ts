import type { FormField } from "./form-field.ts";
import type { FormModel } from "./form-model.ts";

export interface FormWithoutRepeats {
  /** Empty if the fields contain all of it. */
  readonly message: string;
  readonly model: FormModel;
}

/**
 * Agents repeat the question of the message in the form. Shows it once: at the fields if each has its line of the
 * message, else above the form.
 */
export function withoutRepeats(message: string, model: FormModel): FormWithoutRepeats {
  const lines = message
    .split("\n")
    .map((line) => plain(line))
    .filter((line) => line !== "");
  const said = new Set(model.fields.flatMap(({ label, about }) => [plain(label), plain(about)]));
  const labels = new Set(model.fields.map(({ label }) => plain(label)));
  const isInFields = lines.every((line) => (lines.length > 1 ? said : labels).has(line));
  const whole = plain(message);
  const repeats = (text: string | null) => text !== null && plain(text) === whole;
  return {
    message: isInFields ? "" : message,
    model: {
      ...model,
      title: repeats(model.title) ? null : model.title,
      about: repeats(model.about) ? null : model.about,
      fields: model.fields.map((field, position): FormField => {
        const before = position === 0 ? null : plain(model.fields[position - 1]?.about ?? null);
        const about = plain(field.about);
        const isSaid = about === whole || about === plain(field.label) || about === before;
        return isSaid ? { ...field, about: null } : field;
      }),
    },
  };
}

function plain(text: string | null): string {
  return (text ?? "")
    .replaceAll(/\s+/gu, " ")
    .replace(/[\s.:?!…]+$/u, "")
    .trim()
    .toLowerCase();
}
