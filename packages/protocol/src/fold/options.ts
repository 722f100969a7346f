import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { LegacyModels, OptionsChanged } from "../events.ts";
import { withConfigOptions, withMode, withOptions, type ModeChoice } from "../mode-choice.ts";
import { entriesWith, recordOf } from "../raw-value.ts";
import { readConfigOptions } from "../update-reading.ts";
import type { Draft } from "./draft.ts";

/** An absent field keeps its value and null clears it. An invalid value counts as null. */
export function foldOptionsChanged(draft: Draft, event: OptionsChanged): void {
  const { modes, configOptions, models } = event;
  put(
    draft,
    withOptions(draft.view, {
      ...(modes === undefined ? {} : { modes: modesOf(modes) }),
      ...(configOptions === undefined ? {} : { configOptions: readConfigOptions(configOptions) }),
    }),
  );
  if (models !== undefined) draft.view.models = modelsOf(models);
}

export function foldMode(draft: Draft, modeId: string): void {
  put(draft, withMode(draft.view, modeId));
}

export function foldConfigOptions(draft: Draft, options: readonly SessionConfigOption[]): void {
  put(draft, withConfigOptions(draft.view, options));
}

function put({ view }: Draft, { modes, configOptions }: ModeChoice): void {
  view.modes = modes;
  view.configOptions = configOptions;
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
