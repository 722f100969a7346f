import type { ModelMessage, SystemModelMessage } from "ai";
import type { StepRequest } from "./stream.ts";

const cacheControl = { type: "ephemeral" } as const;
const mark = { anthropic: { cacheControl } };

interface Prompt {
  system: string | SystemModelMessage | undefined;
  messages: ModelMessage[];
  providerOptions: Record<string, Record<string, unknown>>;
}

/**
 * Anthropic caches a prompt only up to marked positions: the system prompt, the end of the previous request,
 * and the end of this one. OpenRouter sets the marks itself when asked to; other providers cache
 * automatically. Requests without tools (titles, summaries) are sent once, so marks would only cost.
 */
export function withCacheMarkers(
  request: Pick<StepRequest, "model" | "system" | "messages" | "tools" | "providerOptions">,
): Prompt {
  const { messages, providerOptions = {} } = request;
  const system = request.system === "" ? undefined : request.system;
  const keeper = request.tools.length === 0 ? undefined : keeperOf(request.model);
  if (keeper === "openrouter") {
    const openrouter = { ...providerOptions["openrouter"], cache_control: cacheControl };
    return { system, messages, providerOptions: { ...providerOptions, openrouter } };
  }
  if (keeper === undefined) return { system, messages, providerOptions };
  const last = messages.length - 1;
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    system:
      system === undefined ? undefined : { role: "system", content: system, providerOptions: mark },
    messages: messages.map((message, index) =>
      index === last || index === answer - 1 ? marked(message) : message,
    ),
    providerOptions,
  };
}

function keeperOf({ provider, modelId }: StepRequest["model"]) {
  if (provider.startsWith("anthropic.")) return "anthropic";
  const isRouted = provider.startsWith("openrouter.") && modelId.startsWith("anthropic/");
  return isRouted ? "openrouter" : undefined;
}

function marked<Message extends ModelMessage>(message: Message): Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...mark } };
}
