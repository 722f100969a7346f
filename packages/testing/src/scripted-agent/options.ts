/** Modes, config options and legacy models of a session. The mode and the option of category `mode` are synchronized. */
import { isObject, type JsonObject } from "./json.ts";
import type { Session } from "./sessions.ts";

/** False if there is no such mode. */
export function setModeValue(session: Session, modeId: string): boolean {
  if (!listed(session.modes?.["availableModes"], "id", modeId)) return false;
  session.modes = { ...session.modes, currentModeId: modeId };
  setOption(session, (option) => option["category"] === "mode", modeId);
  return true;
}

export function setModelValue(session: Session, modelId: string): boolean {
  if (!listed(session.models?.["availableModels"], "modelId", modelId)) return false;
  session.models = { ...session.models, currentModelId: modelId };
  setOption(session, (option) => option["category"] === "model", modelId);
  return true;
}

/** False if there is no such option, or it does not accept this value. */
export function setConfigValue(session: Session, id: string, value: unknown): boolean {
  const option = session.configOptions?.find((candidate) => candidate["id"] === id);
  if (option === undefined || !takes(option, value)) return false;
  setOption(session, (candidate) => candidate === option, value);
  if (option["category"] === "mode" && listed(session.modes?.["availableModes"], "id", value)) {
    session.modes = { ...session.modes, currentModeId: value };
  }
  if (
    option["category"] === "model" &&
    listed(session.models?.["availableModels"], "modelId", value)
  ) {
    session.models = { ...session.models, currentModelId: value };
  }
  return true;
}

/** The current values, by option id; `mode` and `model` for agents without config options. */
export function optionValues({ modes, models, configOptions = [] }: Session): JsonObject {
  return {
    mode: modes?.["currentModeId"],
    model: models?.["currentModelId"],
    ...Object.fromEntries(configOptions.map(({ id, currentValue }) => [String(id), currentValue])),
  };
}

/** The options for this client: boolean ones only if it supports them. */
export function shownOptions(session: Session, client: JsonObject): readonly JsonObject[] {
  const options = session.configOptions ?? [];
  if (session.showsBooleans || capability(client, "session.configOptions.boolean")) return options;
  return options.filter((option) => option["type"] !== "boolean");
}

/** True for `true` and for a marker object. */
export function capability(capabilities: JsonObject, path: string): boolean {
  let value: unknown = capabilities;
  for (const field of path.split(".")) value = isObject(value) ? value[field] : undefined;
  return value === true || isObject(value);
}

function setOption(session: Session, picks: (option: JsonObject) => boolean, value: unknown): void {
  session.configOptions = session.configOptions?.map((option) =>
    picks(option) && takes(option, value) ? { ...option, currentValue: value } : option,
  );
}

function takes(option: JsonObject, value: unknown): boolean {
  if (option["type"] === "boolean") return typeof value === "boolean";
  const options = option["options"];
  if (!Array.isArray(options)) return false;
  return options.some(
    (entry: unknown) =>
      isObject(entry) && (entry["value"] === value || listed(entry["options"], "value", value)),
  );
}

function listed(list: unknown, key: string, value: unknown): boolean {
  return Array.isArray(list) && list.some((entry) => isObject(entry) && entry[key] === value);
}
