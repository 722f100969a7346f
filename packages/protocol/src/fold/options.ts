import type {
  AvailableCommand,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type { LegacyModels, OptionsChanged } from "../events.ts";
import type { Draft } from "./draft.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "./value.ts";

/** What can be chosen: modes, config options, the older models, slash commands. */

/** Absent keeps, null clears; what can't be read counts as null. */
export function foldOptionsChanged(draft: Draft, event: OptionsChanged): void {
  if (event.modes !== undefined) draft.view.modes = modesOf(event.modes);
  if (event.configOptions !== undefined) {
    draft.view.configOptions = configOptionsOf(event.configOptions);
  }
  if (event.models !== undefined) draft.view.models = modelsOf(event.models);
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
  const known = draft.view.modes;
  if (known?.currentModeId !== currentModeId) {
    draft.view.modes = { ...(known ?? { availableModes: [] }), currentModeId };
  }
  return true;
}

export function foldConfigOptions(draft: Draft, update: Raw): boolean {
  const options = configOptionsOf(update["configOptions"]);
  if (options === null) return false;
  draft.view.configOptions = options;
  return true;
}

export function foldCommands(draft: Draft, update: Raw): boolean {
  const commands = entriesWith(update["availableCommands"], "name");
  if (commands === null) return false;
  draft.view.commands = commands as unknown as readonly AvailableCommand[];
  return true;
}
