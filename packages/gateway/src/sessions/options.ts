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

/** What can be chosen in a session: modes, config options, and the older models. */
export interface Options extends ModeChoice {
  readonly models: LegacyModels | null;
}

export const noOptions: Options = { modes: null, configOptions: null, models: null };

/** What a result of session/new, load, resume or fork says; what it leaves out stays as it was. */
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

/** One choice as a request to the agent, and what the options are once it has agreed. */
export interface Choice {
  readonly method: "session/set_mode" | "session/set_config_option" | "session/set_model";
  readonly params: Readonly<Record<string, unknown>>;
  /** `now`: the options as they are when the answer comes. */
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
  // Some agents have their modes among the config options only.
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

/** In `_meta` of an option: values that the agent does not list, and answers for itself when they are chosen. */
const UNLISTED = "landline/unlisted";

function isUnlisted({ _meta: meta }: SessionConfigOption, value: string | boolean): boolean {
  const values: unknown = meta?.[UNLISTED];
  return Array.isArray(values) && values.includes(value);
}

/** An agent answers with the complete list; one that answers with nothing is taken at its word. */
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

/** Whether it is so already. */
export function isChosen(options: Options, configId: string, value: string | boolean): boolean {
  const option = options.configOptions?.find(({ id }) => id === configId);
  if (option) return option.currentValue === value;
  return configId === "model" && options.models?.currentModelId === value;
}

/**
 * What an option is set to, if that is to last beyond its session: a model, or how hard it thinks. A mode never does: one
 * in which nothing is asked must not come back by itself.
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

/** A session began without a choice that it was opened with. */
export function withoutChoice(
  configId: string,
  value: string | boolean,
  { message }: LandlineError,
): ErrorRaised {
  return {
    kind: "error",
    code: "option-not-offered",
    message: `Began without ${configId} ${JSON.stringify(value)}: ${message}`,
  };
}

function notOffered(what: string, value: unknown): LandlineError {
  return new LandlineError("option-not-offered", {
    message: `The agent does not offer ${JSON.stringify(value)} for ${what}.`,
    help: "Choose one of the values in the session's options.",
  });
}
