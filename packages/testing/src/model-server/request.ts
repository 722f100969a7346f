import type { IncomingHttpHeaders } from "node:http";

export const providerNames = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "ollama",
] as const;

export type ProviderName = (typeof providerNames)[number];

/** What every provider's request says, in one form, so that one test can be written for all of them. */
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

/** How a request came to its end, as the server saw it. */
export type RequestEnding = "answered" | "cut" | "client-gone";

/** One request as it was recorded: nothing is masked, tests want to see the keys. */
export interface ModelRequest extends RequestReading {
  /** 1 for the first request of this server. */
  readonly number: number;
  readonly provider: ProviderName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The text of the last message of the user. */
  readonly userText: string;
  /** Results of tools that came since the model last spoke. */
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

/** Providers send results by id alone; the name is in the call that they answer. */
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
