import type { IncomingHttpHeaders } from "node:http";

export const providerNames = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "ollama",
] as const;

export type ProviderName = (typeof providerNames)[number];

/** The content of a request in one form for all providers, so that one test covers all of them. */
export interface RequestReading {
  readonly model: string;
  readonly stream: boolean;
  /** All system and developer texts, one per line. */
  readonly system: string;
  readonly messages: readonly MessageReading[];
  readonly tools: readonly ToolReading[];
}

export interface MessageReading {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallReading[];
  readonly toolResults: readonly ToolResultReading[];
  /** Media types of images, audio and documents; the provider's own word where it names no type. */
  readonly attachments: readonly string[];
}

export interface ToolReading {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

interface ToolCallReading {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export interface ToolResultReading {
  /** Empty where the provider has no ids (Ollama, older Gemini). */
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** How a request ended, as the server saw it. */
export type RequestEnding = "answered" | "cut" | "client-gone";

/** One recorded request. Nothing is masked, because tests check the keys. */
export interface ModelRequest extends RequestReading {
  /** 1 for the first request of this server. */
  readonly number: number;
  readonly provider: ProviderName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The text of the last message of the user. */
  readonly userText: string;
  /** Results of tools since the model's last message. */
  readonly toolResults: readonly ToolResultReading[];
  readonly ended: Promise<RequestEnding>;
}

export function message(
  role: MessageReading["role"],
  content: Partial<Omit<MessageReading, "role">>,
): MessageReading {
  return {
    role,
    text: content.text ?? "",
    reasoning: content.reasoning ?? "",
    toolCalls: content.toolCalls ?? [],
    toolResults: content.toolResults ?? [],
    attachments: content.attachments ?? [],
  };
}

export function lastUserText(messages: readonly MessageReading[]): string {
  return messages.findLast(({ role }) => role === "user")?.text ?? "";
}

export function latestToolResults(messages: readonly MessageReading[]): ToolResultReading[] {
  const spoke = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(spoke + 1).flatMap(({ toolResults }) => toolResults);
}

/** Providers send results with an id only. The name is in the call. */
export function withToolNames(messages: readonly MessageReading[]): MessageReading[] {
  const names = new Map(
    messages.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)),
  );
  return messages.map((one) =>
    one.toolResults.length === 0
      ? one
      : {
          ...one,
          toolResults: one.toolResults.map((result) =>
            result.name === "" ? { ...result, name: names.get(result.id) ?? "" } : result,
          ),
        },
  );
}
