import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { isRecord } from "./record.ts";

/**
 * An agent may offer its modes twice: as modes, and as a config option of the category `mode`. Both are one choice, but an
 * agent often reports only the one that was set. All of it comes from the agent and may be wrong.
 */
export interface ModeChoice {
  readonly modes: SessionModeState | null;
  readonly configOptions: readonly SessionConfigOption[] | null;
}

/** After the agent switched to a mode: the config option follows, where it offers that mode. */
export function withMode<Choice extends ModeChoice>(choice: Choice, modeId: string): Choice {
  const { modes, configOptions } = choice;
  const isOption = configOptions?.some((option) => isModeOption(option) && offers(option, modeId));
  const isUnchanged = modes === null ? isOption === true : modes.currentModeId === modeId;
  return {
    ...choice,
    modes: isUnchanged ? modes : { ...(modes ?? { availableModes: [] }), currentModeId: modeId },
    configOptions: withModeInOptions(configOptions, modeId),
  };
}

/** After the agent sent a new list of config options: the mode follows, where it is one of the modes. */
export function withConfigOptions<Choice extends ModeChoice>(
  choice: Choice,
  configOptions: readonly SessionConfigOption[],
): Choice {
  return withOptions(choice, { configOptions });
}

/** After modes, config options or both were replaced. Absent keeps, null clears. */
export function withOptions<Choice extends ModeChoice>(
  choice: Choice,
  { modes, configOptions }: Partial<ModeChoice>,
): Choice {
  const after = {
    ...choice,
    modes: modes === undefined ? choice.modes : modes,
    configOptions: configOptions === undefined ? choice.configOptions : configOptions,
  };
  if (modes === undefined) after.modes = withModeOfOptions(after.modes, after.configOptions);
  else if (configOptions === undefined && modes !== null)
    after.configOptions = withModeInOptions(after.configOptions, modes.currentModeId);
  return after;
}

/** The same list when nothing changes. */
function withModeInOptions(
  configOptions: ModeChoice["configOptions"],
  modeId: string,
): ModeChoice["configOptions"] {
  const differs = (option: SessionConfigOption) =>
    isModeOption(option) && option.currentValue !== modeId && offers(option, modeId);
  if (!configOptions?.some(differs)) return configOptions;
  return configOptions.map((option) =>
    differs(option) ? ({ ...option, currentValue: modeId } as SessionConfigOption) : option,
  );
}

function withModeOfOptions(
  modes: ModeChoice["modes"],
  configOptions: ModeChoice["configOptions"],
): ModeChoice["modes"] {
  const modeId = configOptions?.find(isModeOption)?.currentValue;
  if (!modes || typeof modeId !== "string" || modes.currentModeId === modeId) return modes;
  const isListed = listOf(modes.availableModes).some(
    (mode) => isRecord(mode) && mode["id"] === modeId,
  );
  return isListed ? { ...modes, currentModeId: modeId } : modes;
}

export function isModeOption({ category }: SessionConfigOption): boolean {
  return category === "mode";
}

/** Whether the option can be set to the value. */
export function offers(option: SessionConfigOption, value: string | boolean): boolean {
  if (option.type === "boolean") return typeof value === "boolean";
  return choiceIn(option, value) !== undefined;
}

/** The agent's name for the value that the option has. */
export function chosenName(option: SessionConfigOption): string {
  if (option.type === "boolean") return `${option.name}: ${option.currentValue ? "on" : "off"}`;
  const name = choiceIn(option, option.currentValue)?.["name"];
  return typeof name === "string" && name !== "" ? name : option.currentValue;
}

/** Choices are listed one by one or in groups. */
function choiceIn(option: SessionConfigOption, value: string | boolean) {
  const list = option.type === "boolean" ? [] : listOf(option.options);
  return list
    .flatMap((entry) =>
      isRecord(entry) && "options" in entry ? listOf(entry["options"]) : [entry],
    )
    .filter(isRecord)
    .find((entry) => entry["value"] === value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
