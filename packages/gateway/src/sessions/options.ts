import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import {
  isModeOption,
  chosenName,
  LandlineError,
  offers,
  withConfigOptions,
  withMode,
  type ErrorRaised,
  type LastChoice,
  type LegacyModels,
  type ModeChoice,
  type OptionsChanged,
} from "@landline/protocol";

/** The options of a session: modes, config options, and the legacy models. */
export interface Options extends ModeChoice {
  readonly models: LegacyModels | null;
}

export const noOptions: Options = { modes: null, configOptions: null, models: null };

/**
 * Reads the options from the result of session/new, load, resume or fork. Missing ones keep their previous values.
 */
export function readOptions(result: Readonly<Record<string, unknown>>, before: Options): Options {
  return {
    modes: (result["modes"] as SessionModeState | null | undefined) ?? before.modes,
    configOptions:
      (result["configOptions"] as SessionConfigOption[] | null | undefined) ?? before.configOptions,
    models: (result["models"] as LegacyModels | null | undefined) ?? before.models,
  };
}

export function optionsEvent(
  { modes, configOptions, models }: Options,
  by?: string,
): OptionsChanged {
  return {
    kind: "options-changed",
    ...(modes && { modes }),
    ...(configOptions && { configOptions }),
    ...(models && { models }),
    ...(by !== undefined && { by }),
  };
}

function withValue(option: SessionConfigOption, value: string | boolean): SessionConfigOption {
  return { ...option, currentValue: value } as SessionConfigOption;
}

/** The request for one choice, and the options after its success. */
export interface Choice {
  readonly method: "session/set_mode" | "session/set_config_option" | "session/set_model";
  readonly params: Readonly<Record<string, unknown>>;
  /** `now`: the options at the time of the response. */
  readonly after: (result: unknown, now: Options) => Options;
}

export function chooseMode(options: Options, modeId: string): Choice {
  const available = options.modes?.availableModes ?? [];
  if (available.some(({ id }) => id === modeId)) {
    return {
      method: "session/set_mode",
      params: { modeId },
      after: (_, now) => withMode(now, modeId),
    };
  }
  // Some agents offer modes only as a config option.
  const option = options.configOptions?.find(isModeOption);
  if (available.length === 0 && option) return chooseConfig(options, option.id, modeId);
  throw notOffered("mode", modeId);
}

export function chooseConfig(options: Options, configId: string, value: string | boolean): Choice {
  const option = options.configOptions?.find(({ id }) => id === configId);
  if (option) {
    if (!offers(option, value) && !isUnlisted(option, value)) throw notOffered(configId, value);
    return {
      method: "session/set_config_option",
      params: {
        configId,
        ...(typeof value === "boolean" ? { type: "boolean", value } : { value }),
      },
      after: (result, now) => afterConfig(now, configId, value, result),
    };
  }
  const { models } = options;
  if (configId === "model" && models?.availableModels.some(({ modelId }) => modelId === value)) {
    return {
      method: "session/set_model",
      params: { modelId: value },
      after: (_, now) => ({ ...now, models: { ...models, currentModelId: String(value) } }),
    };
  }
  throw notOffered(configId, value);
}

/** `_meta` field of an option: values that the agent accepts but does not list. */
const UNLISTED = "landline/unlisted";

function isUnlisted({ _meta: meta }: SessionConfigOption, value: string | boolean): boolean {
  const values: unknown = meta?.[UNLISTED];
  return Array.isArray(values) && values.includes(value);
}

/** The agent responds with the complete list. If it omits the list, only the chosen value changes. */
function afterConfig(
  options: Options,
  configId: string,
  value: string | boolean,
  result: unknown,
): Options {
  const list = (result as { configOptions?: SessionConfigOption[] | null } | null)?.configOptions;
  const known = options.configOptions ?? [];
  const changed = known.map((option) =>
    option.id === configId ? withValue(option, value) : option,
  );
  return withConfigOptions(options, list ?? changed);
}

/** Whether the option already has this value. */
export function isChosen(options: Options, configId: string, value: string | boolean): boolean {
  const option = options.configOptions?.find(({ id }) => id === configId);
  if (option) return option.currentValue === value;
  return configId === "model" && options.models?.currentModelId === value;
}

/**
 * The value of an option that is remembered for new sessions: a model or a thought level. Modes are never remembered,
 * because a permissive mode must not return by itself.
 */
export function lastingChoice(options: Options, configId: string): LastChoice | null {
  const option = options.configOptions?.find(({ id }) => id === configId);
  if (option) {
    const { category, currentValue: value } = option;
    if (category !== "model" && category !== "thought_level") return null;
    return { configId, value, category, name: chosenName(option) };
  }
  const { models } = options;
  if (configId !== "model" || !models) return null;
  const value = models.currentModelId;
  const model = models.availableModels.find(({ modelId }) => modelId === value);
  return { configId, value, category: "model", name: model?.name ?? value };
}

/** The error for a choice that a new session could not apply. */
export function withoutChoice(
  configId: string,
  value: string | boolean,
  { message }: LandlineError,
): ErrorRaised {
  return {
    kind: "error",
    code: "option-not-offered",
    message: `Started without ${configId} ${JSON.stringify(value)}: ${message}`,
  };
}

function notOffered(what: string, value: unknown): LandlineError {
  return new LandlineError("option-not-offered", {
    message: `The agent does not offer ${JSON.stringify(value)} for ${what}.`,
    help: "Choose one of the values in the session's options.",
  });
}
