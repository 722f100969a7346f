import type { McpServer } from "@agentclientprotocol/sdk";
import type { FileProgram, ProviderConfig } from "./config.ts";
import type { FileProgramSetting, McpSetting, ProviderSetting } from "./schema.ts";

/** opencode's files name the AI SDK package of a provider. */
const kindOfPackage: Readonly<Record<string, NonNullable<ProviderConfig["kind"]>>> = {
  "@ai-sdk/anthropic": "anthropic",
  "@ai-sdk/openai": "openai",
  "@ai-sdk/google": "google",
  "@ai-sdk/openai-compatible": "openai-compatible",
};

export function toProvider(setting: ProviderSetting): ProviderConfig {
  const kind = setting.kind ?? kindOfPackage[setting.npm ?? ""];
  const { baseURL, apiKey, headers } = setting.options ?? {};
  return {
    ...(setting.name !== undefined && { name: setting.name }),
    ...(kind !== undefined && { kind }),
    ...(baseURL !== undefined && { baseUrl: baseURL }),
    ...(apiKey !== undefined && apiKey !== "" && { apiKey }),
    ...(headers !== undefined && { headers }),
    models: Object.fromEntries(
      Object.entries(setting.models ?? {}).map(([id, model]) => [id, toModel(model)]),
    ),
  };
}

function toModel(
  model: NonNullable<ProviderSetting["models"]>[string],
): ProviderConfig["models"][string] {
  const { name, limit, tool_call: tools, efforts } = model;
  const image = model.modalities?.input?.includes("image") ?? model.attachment;
  return {
    ...(name !== undefined && { name }),
    ...(limit?.context !== undefined && { contextTokens: limit.context }),
    ...(limit?.output !== undefined && { outputTokens: limit.output }),
    ...(image !== undefined && { image }),
    ...(tools !== undefined && { tools }),
    ...(efforts !== undefined && { efforts }),
  };
}

/** Carries a server's connection timeout, for which ACP has no field. */
export const timeoutMeta = "landline/connectMs";

/** Null when it is disabled; a string when it is unusable, with the reason. */
export function toMcpServer(name: string, setting: McpSetting): McpServer | string | null {
  if (setting.enabled === false) return null;
  const meta = setting.timeout === undefined ? {} : { _meta: { [timeoutMeta]: setting.timeout } };
  if (setting.type === "local" || setting.type === "stdio" || setting.url === undefined) {
    const [command, ...rest] = [setting.command ?? []].flat();
    if (command === undefined) return "it has neither `command` (a program) nor `url` (an address)";
    const env = { ...setting.env, ...setting.environment };
    return { name, command, args: [...rest, ...(setting.args ?? [])], env: toPairs(env), ...meta };
  }
  const type = setting.type === "sse" ? "sse" : "http";
  return { type, name, url: setting.url, headers: toPairs(setting.headers ?? {}), ...meta };
}

function toPairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}

/** Null when it is disabled or has no command. There are no built-in ones. */
export function toFileProgram(name: string, setting: FileProgramSetting): FileProgram | null {
  if (setting.disabled === true || setting.command === undefined) return null;
  return {
    name,
    command: setting.command,
    extensions: (setting.extensions ?? []).map((extension) =>
      extension.startsWith(".") ? extension : `.${extension}`,
    ),
    env: setting.environment ?? {},
  };
}
