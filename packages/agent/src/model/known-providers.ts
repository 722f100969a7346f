import { providerKeyVariables, type ProviderKeyVariable } from "@landline/shell/provider-keys";
import type { ProviderConfig } from "../config/config.ts";

/** A provider that needs only a key. */
export interface KnownProvider {
  id: string;
  name: string;
  kind: NonNullable<ProviderConfig["kind"]>;
  baseUrl: string;
  /**
   * Environment variables that may contain its key; the first that is set is used. Programs do not inherit
   * them.
   */
  keyVariables: readonly ProviderKeyVariable[];
  baseUrlVariables: readonly string[];
  /** The default model, and the one for titles and summaries. Both are in the catalogue. */
  defaultModel: string;
  smallModel: string;
}

/** In the order of preference when several have a key. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: providerKeyVariables.anthropic,
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-5-5",
    smallModel: "claude-haiku-5-5",
  },
  {
    id: "openai",
    name: "OpenAI",
    kind: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: providerKeyVariables.openai,
    baseUrlVariables: ["OPENAI_BASE_URL"],
    defaultModel: "gpt-6.1-sol",
    smallModel: "gpt-6-luna",
  },
  {
    id: "google",
    name: "Google",
    kind: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: providerKeyVariables.google,
    baseUrlVariables: ["GOOGLE_GENERATIVE_AI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    defaultModel: "gemini-4-argon",
    smallModel: "gemini-3.5-flash-lite",
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    kind: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: providerKeyVariables.openrouter,
    baseUrlVariables: ["OPENROUTER_BASE_URL"],
    defaultModel: "anthropic/claude-sonnet-5.5",
    smallModel: "anthropic/claude-haiku-5.5",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    kind: "openai-compatible",
    baseUrl: "https://api.deepseek.com",
    keyVariables: providerKeyVariables.deepseek,
    baseUrlVariables: ["DEEPSEEK_BASE_URL"],
    defaultModel: "deepseek-v4-pro",
    smallModel: "deepseek-flash",
  },
  {
    id: "xai",
    name: "xAI",
    kind: "openai-compatible",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: providerKeyVariables.xai,
    baseUrlVariables: ["XAI_BASE_URL"],
    defaultModel: "grok-4.6",
    smallModel: "grok-build-0.1",
  },
  {
    id: "mistral",
    name: "Mistral",
    kind: "openai-compatible",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: providerKeyVariables.mistral,
    baseUrlVariables: ["MISTRAL_BASE_URL"],
    defaultModel: "devstral-medium-latest",
    smallModel: "mistral-small-latest",
  },
  {
    id: "groq",
    name: "Groq",
    kind: "openai-compatible",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: providerKeyVariables.groq,
    baseUrlVariables: ["GROQ_BASE_URL"],
    defaultModel: "openai/gpt-oss-120b",
    smallModel: "openai/gpt-oss-20b",
  },
];

const byId = new Map(knownProviders.map((provider) => [provider.id, provider]));

/** Display names of providers without a key. */
const otherNames = new Map([
  ["ollama", "Ollama"],
  ["lmstudio", "LM Studio"],
  ["llamacpp", "llama.cpp"],
  ["vllm", "vLLM"],
  ["jan", "Jan"],
  ["docker", "Docker Model Runner"],
  ["demo", "Demo"],
  ["script", "Script"],
]);

export function knownProvider(id: string): KnownProvider | undefined {
  return byId.get(id);
}

export function displayName(id: string): string {
  return byId.get(id)?.name ?? otherNames.get(id) ?? id;
}

export function signInHint(id: string): string {
  const variable = byId.get(id)?.keyVariables[0];
  const login = `Run \`landline agent login ${id}\``;
  if (variable !== undefined) return `${login}, or set ${variable}, and try again.`;
  return `${login}, or set \`apiKey\` of the provider “${id}” in the config, and try again.`;
}
