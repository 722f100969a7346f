import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { parse } from "./grammar.ts";
import type { Outcome } from "./answer-builder.ts";

/** The parts of a prompt that the demo model uses. */
export interface Conversation {
  system: string;
  /** The last message of the user. */
  request: string;
  /** Tool results since then, one list per step. */
  answered: Outcome[][];
  /** True for the first answer of a session. */
  isFirst: boolean;
}

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const since = prompt.slice(last + 1);
  const results = new Map(
    since
      .filter((message) => message.role === "tool")
      .flatMap(({ content }) => content)
      .filter((part) => part.type === "tool-result")
      .map((part) => [part.toolCallId, outcomeOf(part.output)]),
  );
  const steps = since
    .filter((message) => message.role === "assistant")
    .map(({ content }) => content.filter((part) => part.type === "tool-call"))
    .filter((calls) => calls.length > 0);
  return {
    system: prompt.flatMap((each) => (each.role === "system" ? [each.content] : [])).join("\n"),
    request: requestOf(textsOf(prompt[last])),
    answered: steps.map((calls) =>
      calls.map(({ toolCallId }) => results.get(toolCallId) ?? missing),
    ),
    isFirst: !prompt.some(({ role }) => role === "assistant"),
  };
}

const missing: Outcome = { text: "(no answer)", failed: true };

function textsOf(message: LanguageModelV4Prompt[number] | undefined): string[] {
  if (message?.role !== "user") return [];
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/**
 * Prompts also contain files (`[path]` and their text), notes in parentheses, reminders, and earlier prompts
 * without an answer. Use the last part that can be parsed.
 */
function requestOf(texts: readonly string[]): string {
  const clean = texts
    .map((text) => text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim())
    .filter((text) => text !== "");
  const words = clean.filter((text) => !/^[[(]/.test(text));
  return words.findLast((text) => parse(text) !== null) ?? words.at(-1) ?? clean[0] ?? "";
}

function outcomeOf(output: LanguageModelV4ToolResultPart["output"]): Outcome {
  switch (output.type) {
    case "text":
      return { text: output.value, failed: false };
    case "error-text":
      return { text: output.value, failed: true };
    case "json":
    case "error-json":
      return { text: JSON.stringify(output.value), failed: output.type === "error-json" };
    case "execution-denied":
      return { text: output.reason ?? "It was not allowed.", failed: true };
    default:
      return {
        text: output.value
          .map((part) => (part.type === "text" ? part.text : "(a file)"))
          .join("\n"),
        failed: false,
      };
  }
}
