import { filledStringOf, isRecord } from "@landline/protocol";

/** A form field, read from any schema that an agent may send. */
export type FormField = FieldBase &
  (TextField | NumberField | BooleanField | ChoiceField | ChoicesField | ListField | JsonField);

interface FieldBase {
  readonly name: string;
  readonly label: string;
  readonly about: string | null;
  readonly isRequired: boolean;
}

export type TextFormat = "text" | "email" | "uri" | "date" | "date-time" | "password";

interface TextField {
  readonly kind: "text";
  readonly format: TextFormat;
  readonly isLong: boolean;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly initial: string;
}

interface NumberField {
  readonly kind: "number";
  readonly isInteger: boolean;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly initial: string;
}

interface BooleanField {
  readonly kind: "boolean";
  readonly initial: boolean;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
  readonly about: string | null;
}

interface ChoiceField {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
  readonly initial: string;
}

interface ChoicesField {
  readonly kind: "choices";
  readonly choices: readonly Choice[];
  readonly minItems: number | null;
  readonly maxItems: number | null;
  readonly initial: readonly string[];
}

/** A list of free texts, one per line. */
interface ListField {
  readonly kind: "list";
  readonly minItems: number | null;
  readonly maxItems: number | null;
  readonly initial: string;
}

/** A field of an unknown type: text, or JSON that an answer can carry. */
interface JsonField {
  readonly kind: "json";
  readonly type: string;
  readonly initial: string;
}

/** The current value of a field: typed, ticked or chosen. */
export type FieldValue = string | boolean | readonly string[];

export const choicesShown = 1_000;
const labelLength = 300;
const aboutLength = 2_000;
/** Texts with this maximum length or more get a multi-line field. */
const longFrom = 300;

type Raw = Readonly<Record<string, unknown>>;

export function readField(name: string, schema: unknown, isRequired: boolean): FormField {
  const raw = isRecord(schema) ? schema : {};
  const base = {
    name,
    label: cut(filledStringOf(raw["title"]) ?? name, labelLength),
    about: cutOrNull(filledStringOf(raw["description"]), aboutLength),
    isRequired,
  };
  const kind = readKind(raw);
  const isHidden = kind.kind === "text" && kind.format === "text" && isSecretName(base.label, name);
  return { ...base, ...kind, ...(isHidden ? secret : {}) };
}

const secret = { format: "password", isLong: false } as const;

/** The schemas of ACP can't mark a secret, so the ending of its name decides. */
function isSecretName(...names: readonly string[]): boolean {
  return names.some((name) => secretName.test(name));
}

/** Its value is neither shown nor stored. */
export function isSecret(field: FormField): boolean {
  return (
    (field.kind === "text" && field.format === "password") || isSecretName(field.label, field.name)
  );
}

const secretName = /(?:passw(?:or[dt])?|passphrase|secret|token|api.?key|credentials?)[\s.:*)]*$/iu;

type Kind =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | ListField
  | JsonField;

function readKind(raw: Raw): Kind {
  const type = typeOf(raw);
  switch (type) {
    case "string":
      return readText(raw);
    case "number":
    case "integer":
      return {
        kind: "number",
        isInteger: type === "integer",
        minimum: numberOf(raw["minimum"]),
        maximum: numberOf(raw["maximum"]),
        initial: numberOf(raw["default"])?.toString() ?? "",
      };
    case "boolean":
      return { kind: "boolean", initial: raw["default"] === true };
    case "array":
      return readArray(raw);
    default:
      return { kind: "json", type: cut(type ?? "none", 60), initial: jsonOf(raw["default"]) };
  }
}

function readText(raw: Raw): TextField | ChoiceField {
  const choices = choicesOf(raw["enum"], raw["enumNames"]) ?? choicesOf(raw["oneOf"]);
  const initial = filledStringOf(raw["default"]) ?? "";
  if (choices) {
    const isOffered = choices.some(({ value }) => value === initial);
    return { kind: "choice", choices, initial: isOffered ? initial : "" };
  }
  const format = formatOf(raw);
  const maxLength = numberOf(raw["maxLength"]);
  const isLong = format === "text" && ((maxLength ?? 0) >= longFrom || looksLong(raw, initial));
  return {
    kind: "text",
    format,
    isLong,
    minLength: numberOf(raw["minLength"]),
    maxLength,
    initial: format === "date-time" ? localTime(initial) : initial,
  };
}

function readArray(raw: Raw): ChoicesField | ListField {
  const items = isRecord(raw["items"]) ? raw["items"] : {};
  const choices =
    choicesOf(items["enum"], items["enumNames"]) ??
    choicesOf(items["anyOf"]) ??
    choicesOf(items["oneOf"]);
  const bounds = { minItems: numberOf(raw["minItems"]), maxItems: numberOf(raw["maxItems"]) };
  const initial = textsOf(raw["default"]);
  if (!choices) return { kind: "list", ...bounds, initial: initial.join("\n") };
  const offered = new Set(choices.map(({ value }) => value));
  return {
    kind: "choices",
    choices,
    ...bounds,
    initial: initial.filter((value) => offered.has(value)),
  };
}

const formats: ReadonlySet<string> = new Set(["email", "uri", "date", "date-time", "password"]);

function formatOf(raw: Raw): TextFormat {
  if (raw["writeOnly"] === true) return "password";
  const format = raw["format"] === "url" ? "uri" : raw["format"];
  return typeof format === "string" && formats.has(format) ? (format as TextFormat) : "text";
}

function looksLong(raw: Raw, initial: string): boolean {
  const isSaid = ["multiline", "textarea", "markdown"].includes(String(raw["format"]));
  return isSaid || initial.includes("\n") || initial.length > 100;
}

/** Plain values with or without `enumNames`, or `{const, title}`. Null if there is no such list. */
function choicesOf(list: unknown, names?: unknown): readonly Choice[] | null {
  if (!Array.isArray(list)) return null;
  const titles: readonly unknown[] = Array.isArray(names) ? names : [];
  const choices = new Map<string, Choice>();
  for (const [position, entry] of list.slice(0, choicesShown).entries()) {
    const raw = isRecord(entry) ? entry : { const: entry as unknown, title: titles[position] };
    const value = filledStringOf(raw["const"]);
    if (value === null || choices.has(value)) continue;
    const title = cut(filledStringOf(raw["title"]) ?? value, labelLength);
    choices.set(value, {
      value,
      title,
      about: cutOrNull(filledStringOf(raw["description"]), aboutLength),
    });
  }
  return [...choices.values()];
}

/** Of several types, the first one that a field supports. */
function typeOf(raw: Raw): string | null {
  const { type } = raw;
  if (Array.isArray(type)) return textsOf(type).find((one) => one !== "null") ?? null;
  if (typeof type === "string") return type;
  return Array.isArray(raw["enum"]) || Array.isArray(raw["oneOf"]) ? "string" : null;
}

/** The format of `<input type="datetime-local">`. */
function localTime(value: string): string {
  const time = new Date(value);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  const year = local.getUTCFullYear();
  return year >= 1 && year <= 9999 ? local.toISOString().slice(0, 16) : "";
}

function jsonOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : cut(JSON.stringify(value), aboutLength);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function cutOrNull(text: string | null, length: number): string | null {
  return text === null ? null : cut(text, length);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
