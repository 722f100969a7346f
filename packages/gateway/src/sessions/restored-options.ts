import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { chosenName, isModeOption, LandlineError, offers } from "@landline/protocol";
import { shortId, type PermissionModes } from "../agents/permission-modes.ts";
import { chooseConfig, chooseMode, type Choice, type Options } from "./options.ts";

/** A request to a restarted agent, and the errors to report when it succeeds or fails. */
export interface OptionToRestore {
  readonly choice: Choice | null;
  readonly done: LandlineError | null;
  readonly refused: LandlineError | null;
}

export interface Earlier {
  /** The options before the restart. */
  readonly wanted: Options;
  /** The options with which the agent started the session; null if unknown. */
  readonly first: Options | null;
}

/** Option categories that do not affect permissions. */
const restored: ReadonlySet<unknown> = new Set(["model", "model_config", "thought_level"]);

/**
 * How options are restored after a restart. Models and efforts are always restored. A mode or another option is
 * restored only if it is known to ask, because permissive choices end with the process.
 */
export function optionsToRestore(
  fresh: Options,
  { wanted, first }: Earlier,
  modes: PermissionModes,
): OptionToRestore[] {
  const settings = settingsOf(fresh, wanted, first, modes).filter(
    ({ isRestored, asks, wanted: value }) => !modes.resets || isRestored || asks(value) === true,
  );
  return [...settings.flatMap((setting) => restoring(setting)), ...legacyModel(fresh, wanted)];
}

/** The options after the agent process ended, and the errors to report. */
export interface ResetOptions {
  readonly options: Options;
  readonly errors: readonly LandlineError[];
}

/**
 * A permissive choice ends with the process. Until the next start, the session has the agent's initial value or one
 * that asks. If the initial value does not ask either, the choice stays.
 */
export function resetPermissiveOptions(
  options: Options,
  first: Options | null,
  modes: PermissionModes,
): ResetOptions {
  const errors: LandlineError[] = [];
  let now = options;
  for (const setting of settingsOf(options, options, first, modes).filter(isPermissive)) {
    const { asks, asking } = setting;
    const targets = setting.first === undefined ? asking : [setting.first];
    for (const target of targets) {
      const choice = asks(target) === false ? null : offered(setting, target);
      if (choice === null) continue;
      now = choice.after(null, now);
      errors.push(endedWithProcess(setting, target));
      break;
    }
  }
  // An agent that resets its choices reports that itself.
  return { options: now, errors: modes.resets ? [] : errors };
}

export function answersForPerson(options: Options, modes: PermissionModes): boolean {
  return settingsOf(options, options, null, modes).some(isPermissive);
}

function isPermissive({ wanted, isRestored, asks }: Setting): boolean {
  return !isRestored && asks(wanted) === false;
}

/** A config option or the mode. */
interface Setting {
  readonly name: string;
  readonly now: string | boolean;
  readonly wanted: string | boolean;
  readonly first: string | boolean | undefined;
  /** Values that ask, used if the initial value is not offered. */
  readonly asking: readonly string[];
  readonly isRestored: boolean;
  /** Whether the agent asks with this value; null if unknown. */
  readonly asks: (value: string | boolean) => boolean | null;
  readonly nameOf: (value: string | boolean) => string;
  /** Throws if the agent does not offer the value. */
  readonly choose: (value: string | boolean) => Choice;
}

function restoring(setting: Setting): OptionToRestore[] {
  const { now, wanted, first, isRestored, asks } = setting;
  const cameBack = !isRestored && asks(now) === false && now !== first;
  const choice = now === wanted ? null : offered(setting, wanted);
  if (choice && (isRestored || asks(wanted) === true))
    return [{ choice, done: null, refused: cameBack ? keptError(setting) : null }];
  // The agent restarted with a permissive value that is not its initial one.
  if (cameBack) return [reset(setting)];
  return choice ? [{ choice: null, done: ended(setting, now), refused: null }] : [];
}

function reset(setting: Setting): OptionToRestore {
  const { now, wanted, first, asking } = setting;
  for (const target of first === undefined ? asking : [first, ...asking]) {
    const choice = target === now ? null : offered(setting, target);
    const done = target === wanted ? null : ended(setting, target);
    if (choice) return { choice, done, refused: keptError(setting) };
  }
  return { choice: null, done: keptError(setting), refused: null };
}

/** Null if the value is no longer offered: the agent's own value stays. */
function offered(setting: Setting, value: string | boolean): Choice | null {
  try {
    return setting.choose(value);
  } catch {
    return null;
  }
}

function ended({ name, wanted, first, nameOf }: Setting, now: string | boolean): LandlineError {
  const how = now === first ? "back to" : "now";
  return new LandlineError("choice-ended", {
    message: `${name} is ${how} ${nameOf(now)}: the agent was started again.`,
    help: `Choose ${nameOf(wanted)} again if you still want it.`,
  });
}

function endedWithProcess({ name, wanted, nameOf }: Setting, now: string | boolean): LandlineError {
  return new LandlineError("choice-ended", {
    message: `${name} is back to ${nameOf(now)}: ${nameOf(wanted)} applied only to the agent process that ended.`,
    help: `Choose ${nameOf(wanted)} again if you still want it.`,
  });
}

function keptError({ name, now, nameOf }: Setting): LandlineError {
  return new LandlineError("choice-kept", {
    message: `The agent restarted with ${name} set to ${nameOf(now)} and may act without asking you.`,
  });
}

function settingsOf(
  fresh: Options,
  wanted: Options,
  first: Options | null,
  modes: PermissionModes,
): Setting[] {
  const options = (wanted.configOptions ?? []).flatMap((option) => {
    const now = optionIn(fresh, option.id);
    return now ? [optionSetting(fresh, now, option, optionIn(first, option.id), modes)] : [];
  });
  const modeId = wanted.modes?.currentModeId;
  if (modeId === undefined || !fresh.modes) return options;
  // A mode that is also a config option is handled once.
  const isOption = fresh.configOptions?.some(
    (option) => isModeOption(option) && offers(option, modeId),
  );
  return isOption ? options : [...options, modeSetting(fresh, fresh.modes, modeId, first, modes)];
}

function optionIn(options: Options | null, configId: string): SessionConfigOption | undefined {
  return options?.configOptions?.find(({ id }) => id === configId);
}

function optionSetting(
  fresh: Options,
  now: SessionConfigOption,
  wanted: SessionConfigOption,
  first: SessionConfigOption | undefined,
  modes: PermissionModes,
): Setting {
  const { id, currentValue: value } = wanted;
  const isMode = isModeOption(now);
  return {
    name: now.name,
    now: now.currentValue,
    wanted: value,
    first: first?.currentValue,
    asking: isMode ? modes.asking : [],
    asks: (one) => (isMode ? modes.mode(String(one)) : modes.option(id, one)),
    isRestored: restored.has(now.category),
    nameOf: (one) => valueName(now, one),
    choose: (one) => chooseConfig(fresh, id, one),
  };
}

function modeSetting(
  fresh: Options,
  { currentModeId, availableModes }: NonNullable<Options["modes"]>,
  wanted: string,
  first: Options | null,
  modes: PermissionModes,
): Setting {
  return {
    name: "Mode",
    now: currentModeId,
    wanted,
    first: first?.modes?.currentModeId,
    asking: modes.asking.flatMap(
      (name) => availableModes.find(({ id }) => shortId(id) === name)?.id ?? [],
    ),
    asks: (one) => modes.mode(String(one)),
    isRestored: false,
    nameOf: (one) => availableModes.find(({ id }) => id === one)?.name ?? String(one),
    choose: (one) => chooseMode(fresh, String(one)),
  };
}

function valueName(option: SessionConfigOption, value: string | boolean): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return chosenName({ ...option, currentValue: value } as SessionConfigOption);
}

function legacyModel(fresh: Options, wanted: Options): OptionToRestore[] {
  const modelId = wanted.models?.currentModelId;
  const now = fresh.models?.currentModelId;
  if (modelId === undefined || now === undefined || now === modelId || fresh.configOptions)
    return [];
  try {
    return [{ choice: chooseConfig(fresh, "model", modelId), done: null, refused: null }];
  } catch {
    return [];
  }
}
