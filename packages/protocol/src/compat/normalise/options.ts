import type { Hits } from "./hits.ts";
import {
  isList,
  isRecord,
  mapSame,
  type RawRecord,
  renamed,
  isAlias,
  withField,
} from "../../record.ts";

/** Normalises `modes` and `current_mode_update`: seed 001 uses `currentMode`. */
export function normaliseCurrentMode(holder: RawRecord, hits?: Hits): RawRecord {
  if (!isAlias(holder, "currentMode", "currentModeId")) return holder;
  hits?.count("mode-current");
  return renamed(holder, "currentMode", "currentModeId");
}

export function normaliseModes(modes: unknown, hits?: Hits): unknown {
  return isRecord(modes) ? normaliseCurrentMode(modes, hits) : modes;
}

export function normaliseConfigOptions(options: unknown, hits?: Hits): unknown {
  return isList(options) ? mapSame(options, (option) => configOption(option, hits)) : options;
}

/** Normalises the session options in the results of new, load, resume and fork, and in updates. */
export function normaliseSessionOptions(holder: RawRecord, hits?: Hits): RawRecord {
  const withModes = withField(holder, "modes", normaliseModes(holder["modes"], hits));
  return withField(
    withModes,
    "configOptions",
    normaliseConfigOptions(withModes["configOptions"], hits),
  );
}

/**
 * Seed 001 has `values[{id, name}]` for `options[{value, name}]`, and no `type`. Its update has no values; then the
 * current value is the only known choice.
 */
function configOption(option: unknown, hits?: Hits): unknown {
  if (!isRecord(option)) return option;
  const { values, ...rest } = option;
  const { currentValue, options } = option;
  const type = option["type"] ?? (typeof currentValue === "boolean" ? "boolean" : "select");
  const choices = options ?? (type === "select" ? choicesFrom(values, currentValue) : undefined);
  if (type === option["type"] && choices === options) return option;
  hits?.count("config-option");
  return choices === options ? { ...option, type } : { ...rest, type, options: choices };
}

function choicesFrom(values: unknown, currentValue: unknown): readonly unknown[] | undefined {
  if (isList(values)) return values.map(choice);
  return typeof currentValue === "string"
    ? [{ value: currentValue, name: currentValue }]
    : undefined;
}

function choice(value: unknown): unknown {
  if (typeof value === "string") return { value, name: value };
  return isRecord(value) && isAlias(value, "id", "value") ? renamed(value, "id", "value") : value;
}
