import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isLoopbackUrl } from "@landline/system/loopback";
import { fetchWithoutTimeout } from "./fetch-without-timeout.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** Without a key the packages would read one from the environment. This value prevents that. */
const NO_KEY = "none";

/** Opens a model. The provider's package is loaded with its first model. */
export async function openLanguageModel(
  settings: ProviderSettings,
  modelId: string,
): Promise<LanguageModelV4> {
  const { baseUrl: baseURL, headers } = settings;
  const apiKey = settings.apiKey ?? NO_KEY;
  switch (settings.kind) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, apiKey, headers }).languageModel(modelId);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL, apiKey, headers }).responses(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ baseURL, apiKey, headers }).languageModel(modelId);
    }
    default: {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: settings.id,
        baseURL,
        headers,
        includeUsage: true,
        ...(isLoopbackUrl(baseURL) ? { fetch: fetchWithoutTimeout } : {}),
        ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
      });
      return provider.chatModel(modelId);
    }
  }
}
