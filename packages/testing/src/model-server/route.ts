import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { createOpenaiResponses } from "./openai-responses.ts";
import type { Provider, RequestTarget } from "./provider.ts";

/** The purpose of a path: a reply of the model, or a token count. */
export interface Route {
  readonly provider: Provider;
  readonly target: RequestTarget;
  readonly asks: "reply" | "token-count";
}

export type Router = (method: string, url: URL) => Route | undefined;

/** One router per server, because the provider of the responses API has state. */
export function createRouter(): Router {
  const openaiResponses = createOpenaiResponses();
  const target = { model: "", stream: false };
  return (method, url) => {
    if (method !== "POST") return undefined;
    switch (url.pathname) {
      case "/v1/chat/completions":
        return { provider: openaiChat, target, asks: "reply" };
      case "/v1/responses":
        return { provider: openaiResponses, target, asks: "reply" };
      case "/v1/messages":
        return { provider: anthropic, target, asks: "reply" };
      case "/v1/messages/count_tokens":
        return { provider: anthropic, target, asks: "token-count" };
      case "/api/chat":
        return { provider: ollama, target, asks: "reply" };
      default:
        return geminiRoute(url);
    }
  };
}

function geminiRoute(url: URL): Route | undefined {
  const [, id, verb] = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  const model = decodeURIComponent(id);
  const stream = verb === "streamGenerateContent";
  // Without alt=sse the service streams one JSON array, which no client requests.
  if (stream && url.searchParams.get("alt") !== "sse") return undefined;
  if (stream || verb === "generateContent")
    return { provider: gemini, target: { model, stream }, asks: "reply" };
  return verb === "countTokens"
    ? { provider: gemini, target: { model, stream }, asks: "token-count" }
    : undefined;
}
