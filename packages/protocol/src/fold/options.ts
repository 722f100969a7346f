import type {
  AvailableCommand,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type { LegacyModels, OptionsChanged } from "../events.ts";
import { isModeOption, offers, withModeInOptions, withModeOfOptions } from "../mode-choice.ts";
import type { Draft } from "./draft.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "./value.ts";

/** What can be chosen: modes, config options, the older models, slash commands. */

/** Absent keeps, null clears; what can't be read counts as null. */
export function foldOptionsChanged({ view }: Draft, event: OptionsChanged): void {
  const { modes, configOptions, models } = event;
  if (modes !== undefined) view.modes = modesOf(modes);
  if (configOptions !== undefined) view.configOptions = configOptionsOf(configOptions);
  if (configOptions === undefined && modes && view.modes)
    view.configOptions = withModeInOptions(view.configOptions, view.modes.currentModeId);
  if (modes === undefined) view.modes = withModeOfOptions(view.modes, view.configOptions);
  if (models !== undefined) view.models = modelsOf(models);
}

function modesOf(value: unknown): SessionModeState | null {
  const modes = recordOf(value);
  if (typeof modes?.["currentModeId"] !== "string") return null;
  return entriesWith(modes["availableModes"], "id") === null ? null : (modes as SessionModeState);
}

function modelsOf(value: unknown): LegacyModels | null {
  const models = recordOf(value);
  if (typeof models?.["currentModelId"] !== "string") return null;
  return entriesWith(models["availableModels"], "modelId") === null
    ? null
    : (models as unknown as LegacyModels);
}

function configOptionsOf(value: unknown): readonly SessionConfigOption[] | null {
  return entriesWith(value, "id") as readonly SessionConfigOption[] | null;
}

export function foldMode(draft: Draft, update: Raw): boolean {
  const currentModeId = stringOf(update["currentModeId"]);
  if (currentModeId === null) return false;
  const { modes, configOptions } = draft.view;
  const isOption = configOptions?.some(
    (option) => isModeOption(option) && offers(option, currentModeId),
  );
  if (modes ? modes.currentModeId !== currentModeId : !isOption) {
    draft.view.modes = { ...(modes ?? { availableModes: [] }), currentModeId };
  }
  draft.view.configOptions = withModeInOptions(configOptions, currentModeId);
  return true;
}

export function foldConfigOptions(draft: Draft, update: Raw): boolean {
  const options = configOptionsOf(update["configOptions"]);
  if (options === null) return false;
  draft.view.configOptions = options;
  draft.view.modes = withModeOfOptions(draft.view.modes, options);
  return true;
}

export function foldCommands(draft: Draft, update: Raw): boolean {
  const commands = entriesWith(update["availableCommands"], "name");
  if (commands === null) return false;
  draft.view.commands = commands as unknown as readonly AvailableCommand[];
  return true;
}
