import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { isRecord } from "./record.ts";

/**
 * Modes and the config option that stands for them are one choice; agents that offer both tell of the one
 * that was asked for, and not of the other. All of it is the agent's word, and may be wrong.
 */
export interface ModeChoice {
  readonly modes: SessionModeState | null;
  readonly configOptions: readonly SessionConfigOption[] | null;
}

/** The mode is on now: so it is in the option, where that offers it. Unchanged, it is the same list. */
export function withModeInOptions(
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

/** The options are so now: so is the mode, where that is one of the modes. */
export function withModeOfOptions(
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

/** Whether it can be set to that. */
export function offers(option: SessionConfigOption, value: string | boolean): boolean {
  if (option.type === "boolean") return typeof value === "boolean";
  return choiceIn(option, value) !== undefined;
}

/** What it is set to, in the agent's words. */
export function chosenName(option: SessionConfigOption): string {
  if (option.type === "boolean") return `${option.name}: ${option.currentValue ? "on" : "off"}`;
  const name = choiceIn(option, option.currentValue)?.["name"];
  return typeof name === "string" && name !== "" ? name : option.currentValue;
}

/** Choices stand by themselves or in groups. */
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
