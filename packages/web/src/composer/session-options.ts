import { filledStringOf, isModeOption, isRecord, type SessionView } from "@landline/protocol";

/** The last entry in a list of models. */
export const signInHelp = "Sign in for more models…";

/** A mode, a model or another option that the agent offers. */
export interface SessionOption {
  readonly key: string;
  /** How it is set: as a mode, or as a config option with this id. Legacy models use a config option. */
  readonly by: { readonly mode: true } | { readonly config: string };
  readonly name: string;
  readonly about: string | null;
  readonly role: "mode" | "model" | "other";
  readonly kind: "select" | "boolean";
  readonly value: string | boolean;
  /** Empty for a boolean. */
  readonly groups: readonly OptionGroup[];
}

export interface OptionGroup {
  readonly name: string | null;
  readonly choices: readonly OptionChoice[];
}

export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly about: string | null;
}

type Offering = Pick<SessionView, "modes" | "configOptions" | "models">;

/** Mode first, then model. A config option of the category mode or model replaces the legacy list. */
export function sessionOptions({
  modes,
  configOptions,
  models,
}: Offering): readonly SessionOption[] {
  const options = (configOptions ?? []).flatMap((option) => optionOffer(option) ?? []);
  const has = (role: SessionOption["role"]) => options.some((offer) => offer.role === role);
  const all = [
    ...options,
    ...(modes && !has("mode") ? modeOffer(modes) : []),
    ...(models && !has("model") ? modelOffer(models) : []),
  ];
  const rank = { mode: 0, model: 1, other: 2 } as const;
  return all.toSorted((one, other) => rank[one.role] - rank[other.role]);
}

/** The display name of the current value. */
export function valueName(
  { value, groups }: SessionOption,
  chosen: string | boolean = value,
): string {
  if (typeof chosen === "boolean") return chosen ? "on" : "off";
  const all = groups.flatMap(({ choices }) => choices);
  return all.find((choice) => choice.value === chosen)?.name ?? chosen;
}

const allowsAll = /allow.?all|bypass|yolo|full.?access|auto.?approve|skip.?permission|dangerous/iu;

/** Whether the mode allows everything, guessed from its id or name: ACP has no field for it. */
export function isAllowingAll(
  offer: SessionOption,
  chosen: string | boolean = offer.value,
): boolean {
  return offer.role === "mode" && allowsAll.test(`${chosen}\n${valueName(offer, chosen)}`);
}

type Option = NonNullable<SessionView["configOptions"]>[number];

function optionOffer(option: Option): SessionOption | null {
  const base = {
    key: `config-${option.id}`,
    by: { config: option.id },
    name: filledStringOf(option.name) ?? option.id,
    about: filledStringOf(option.description),
    role: roleOf(option),
  } as const;
  if (option.type === "boolean")
    return { ...base, kind: "boolean", value: option.currentValue, groups: [] };
  if (typeof option.currentValue !== "string") return null;
  const groups = groupsOf(option.options);
  return groups.length === 0
    ? null
    : { ...base, kind: "select", value: option.currentValue, groups };
}

function roleOf(option: Option): SessionOption["role"] {
  if (isModeOption(option)) return "mode";
  return option.category === "model" ? "model" : "other";
}

function modeOffer({
  currentModeId,
  availableModes,
}: NonNullable<Offering["modes"]>): SessionOption[] {
  const choices = choicesOf(availableModes, "id");
  if (choices.length === 0) return [];
  return [
    {
      key: "mode",
      by: { mode: true },
      name: "Mode",
      about: null,
      role: "mode",
      kind: "select",
      value: currentModeId,
      groups: [{ name: null, choices }],
    },
  ];
}

function modelOffer({
  currentModelId,
  availableModels,
}: NonNullable<Offering["models"]>): SessionOption[] {
  const choices = choicesOf(availableModels, "modelId");
  if (choices.length === 0) return [];
  return [
    {
      key: "model",
      by: { config: "model" },
      name: "Model",
      about: null,
      role: "model",
      kind: "select",
      value: currentModelId,
      groups: [{ name: null, choices }],
    },
  ];
}

/** Reads plain choices, groups, or both. */
function groupsOf(list: unknown): readonly OptionGroup[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const plain = choicesOf(entries, "value");
  const groups = entries.flatMap((entry) => {
    if (!isRecord(entry) || !Array.isArray(entry["options"])) return [];
    const choices = choicesOf(entry["options"], "value");
    return choices.length === 0 ? [] : [{ name: filledStringOf(entry["name"]), choices }];
  });
  return plain.length === 0 ? groups : [{ name: null, choices: plain }, ...groups];
}

function choicesOf(list: unknown, id: "id" | "modelId" | "value"): readonly OptionChoice[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const choices = new Map<string, OptionChoice>();
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry[id] !== "string" || choices.has(entry[id])) continue;
    const value = entry[id];
    const name = filledStringOf(entry["name"]) ?? value;
    choices.set(value, { value, name, about: filledStringOf(entry["description"]) });
  }
  return [...choices.values()];
}
