import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { chosenName, isModeOption, LandlineError, offers } from "@landline/protocol";
import { shortId, type PermissionModes } from "../agents/permission-modes.ts";
import { chooseConfig, chooseMode, type Choice, type Options } from "./options.ts";

/** A request to an agent that was started again, and what the person is told once it is done or refused. */
export interface RestoringChoice {
  readonly choice: Choice | null;
  readonly done: LandlineError | null;
  readonly refused: LandlineError | null;
}

export interface Earlier {
  /** The options before the agent was started again. */
  readonly wanted: Options;
  /** The options that the agent began the session with; null when they are not known. */
  readonly first: Options | null;
}

/** Categories of options that only change how well the agent works. */
const restored: ReadonlySet<unknown> = new Set(["model", "model_config", "thought_level"]);

/**
 * How options are brought back after the agent was started again. Models and efforts are restored. A mode, and any
 * other option, is restored only when it is known to ask the person: what a person allowed ends with the process.
 */
export function restoringChoices(
  fresh: Options,
  { wanted, first }: Earlier,
  modes: PermissionModes,
): RestoringChoice[] {
  const settings = settingsOf(fresh, wanted, first, modes).filter(
    ({ isRestored, asks, wanted: value }) => !modes.resets || isRestored || asks(value) === true,
  );
  return [...settings.flatMap((setting) => restoring(setting)), ...legacyModel(fresh, wanted)];
}

/** What a session has chosen once its agent process has ended, and what the person is told. */
export interface EndedChoices {
  readonly options: Options;
  readonly told: readonly LandlineError[];
}

/**
 * A choice that answers for the person ends with the process: until the agent is started again, the session has the
 * value that the agent began with, or one that asks. Where that value does not ask either, the choice stays.
 */
export function endedChoices(
  options: Options,
  first: Options | null,
  modes: PermissionModes,
): EndedChoices {
  const told: LandlineError[] = [];
  let now = options;
  for (const setting of settingsOf(options, options, first, modes).filter(isPermissive)) {
    const { asks, asking } = setting;
    const targets = setting.first === undefined ? asking : [setting.first];
    for (const target of targets) {
      const choice = asks(target) === false ? null : offered(setting, target);
      if (choice === null) continue;
      now = choice.after(null, now);
      told.push(endedWithProcess(setting, target));
      break;
    }
  }
  // An agent that resets its choices tells the person itself.
  return { options: now, told: modes.resets ? [] : told };
}

export function answersForPerson(options: Options, modes: PermissionModes): boolean {
  return settingsOf(options, options, null, modes).some(isPermissive);
}

function isPermissive({ wanted, isRestored, asks }: Setting): boolean {
  return !isRestored && asks(wanted) === false;
}

/** One thing that can be chosen: a config option, or the mode. */
interface Setting {
  readonly name: string;
  readonly now: string | boolean;
  readonly wanted: string | boolean;
  readonly first: string | boolean | undefined;
  /** Values that ask, where the agent was not begun with a value that it still offers. */
  readonly asking: readonly string[];
  readonly isRestored: boolean;
  /** Whether the person is asked with that value; null when nobody knows. */
  readonly asks: (value: string | boolean) => boolean | null;
  readonly nameOf: (value: string | boolean) => string;
  /** Throws when the agent does not offer the value. */
  readonly choose: (value: string | boolean) => Choice;
}

function restoring(setting: Setting): RestoringChoice[] {
  const { now, wanted, first, isRestored, asks } = setting;
  const cameBack = !isRestored && asks(now) === false && now !== first;
  const choice = now === wanted ? null : offered(setting, wanted);
  if (choice && (isRestored || asks(wanted) === true))
    return [{ choice, done: null, refused: cameBack ? kept(setting) : null }];
  // The agent came back with a value that answers for the person, and did not begin the session with it.
  if (cameBack) return [reset(setting)];
  return choice ? [{ choice: null, done: ended(setting, now), refused: null }] : [];
}

function reset(setting: Setting): RestoringChoice {
  const { now, wanted, first, asking } = setting;
  for (const target of first === undefined ? asking : [first, ...asking]) {
    const choice = target === now ? null : offered(setting, target);
    const done = target === wanted ? null : ended(setting, target);
    if (choice) return { choice, done, refused: kept(setting) };
  }
  return { choice: null, done: kept(setting), refused: null };
}

/** Null when it is no longer offered: the agent's own choice stands. */
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
    message: `${name} is back to ${nameOf(now)}: ${nameOf(wanted)} ended with the agent process that had it.`,
    help: `Choose ${nameOf(wanted)} again if you still want it.`,
  });
}

function kept({ name, now, nameOf }: Setting): LandlineError {
  return new LandlineError("choice-kept", {
    message: `The agent came back with ${name} set to ${nameOf(now)}, and may not ask you.`,
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
  // A mode that is also a config option is one choice.
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

function legacyModel(fresh: Options, wanted: Options): RestoringChoice[] {
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
