import { isRecord } from "@landline/system/json";
import { fieldsOf, listOf, mapList, type Fields } from "./translator.ts";

/** Version 2 has no modes. A session's modes become this config option, unless the agent has one for them. */
const MODE_OPTION = "landline/mode";

export interface SessionOptions {
  readonly modes: Fields | null;
  readonly configOptions: readonly Fields[];
}

export const noOptions: SessionOptions = { modes: null, configOptions: [] };

/** Reads the options in a response of version 1. */
export function readOptions({ modes, configOptions }: Fields): SessionOptions {
  return { modes: isRecord(modes) ? modes : null, configOptions: listOf(configOptions) };
}

export function optionsToV2({ modes, configOptions }: SessionOptions): Fields[] {
  const options = mapList(configOptions, ({ id, ...option }) => ({
    ...option,
    configId: id,
    ...(Array.isArray(option["options"]) && { options: groupsToV2(option["options"]) }),
  }));
  return isModeOptionNeeded({ modes, configOptions })
    ? [modeOption(modes ?? {}), ...options]
    : options;
}

/** Whether a `session/set_config_option` of version 2 sets the mode of an agent that has no such option. */
export function isModeChoice(configId: unknown, options: SessionOptions): boolean {
  return configId === MODE_OPTION && isModeOptionNeeded(options);
}

function isModeOptionNeeded({ modes, configOptions }: SessionOptions): boolean {
  return modes !== null && !configOptions.some(({ category }) => category === "mode");
}

function modeOption({ currentModeId, availableModes }: Fields): Fields {
  return {
    type: "select",
    configId: MODE_OPTION,
    name: "Mode",
    category: "mode",
    currentValue: currentModeId,
    options: mapList(availableModes, ({ id, name, description }) => ({
      value: id,
      name,
      ...(typeof description === "string" && { description }),
    })),
  };
}

/** Version 1 has no types of options beyond these. */
const typesOfV1: ReadonlySet<unknown> = new Set(["select", "boolean"]);

export function optionsToV1(configOptions: unknown): Fields[] {
  const known = listOf(configOptions).filter(({ type }) => typesOfV1.has(type));
  return mapList(known, ({ configId, ...option }) => ({
    ...option,
    id: configId,
    ...(Array.isArray(option["options"]) && { options: groupsToV1(option["options"]) }),
  }));
}

function groupsToV2(options: unknown): Fields[] {
  return mapList(options, ({ group, ...rest }) =>
    group === undefined ? rest : { groupId: group, ...rest },
  );
}

function groupsToV1(options: unknown): Fields[] {
  return mapList(options, ({ groupId, ...rest }) =>
    groupId === undefined ? rest : { group: groupId, ...rest },
  );
}

export function commandsToV2(commands: unknown): Fields[] {
  return mapList(commands, ({ input, ...command }) => ({
    type: "command",
    ...command,
    ...(isRecord(input) && { input: { type: "text", ...input } }),
  }));
}

/** Omits kinds of commands that version 1 does not have. */
export function commandsToV1(commands: unknown): Fields[] {
  const known = listOf(commands).filter(({ type }) => type === "command");
  return mapList(known, ({ type: _command, input, ...command }) => {
    const { hint } = fieldsOf(input);
    return { ...command, ...(typeof hint === "string" && { input: { hint } }) };
  });
}

/** In version 1, a server without a type uses stdio, and lists are required. */
export function mcpServersToV1(servers: unknown): Fields[] {
  return mapList(servers, ({ type, ...server }) =>
    type === "stdio"
      ? { args: [], env: [], ...server }
      : { type, ...(type === "http" && { headers: [] }), ...server },
  );
}

export function mcpServersToV2(servers: unknown): Fields[] {
  return mapList(servers, (server) =>
    server["type"] === undefined ? { type: "stdio", ...server } : server,
  );
}

export function authMethodsToV2(methods: unknown): Fields[] {
  return mapList(methods, ({ id, type, env, ...method }) => ({
    type: type ?? "agent",
    methodId: id,
    ...method,
    ...(isRecord(env) && {
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
    }),
  }));
}

export function authMethodsToV1(methods: unknown): Fields[] {
  return mapList(methods, ({ methodId, type, env, ...method }) => ({
    ...(type !== "agent" && { type }),
    id: methodId,
    ...method,
    ...(Array.isArray(env) && {
      env: Object.fromEntries(mapList(env, ({ name, value }) => [String(name), value])),
    }),
  }));
}
