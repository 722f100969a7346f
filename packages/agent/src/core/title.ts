import { loopLimits } from "../limits.ts";
import type { StepPart, StepRequest } from "../model/stream.ts";
import { TITLE_PROMPT } from "./prompt-prefixes.ts";

const PROMPT = `${TITLE_PROMPT} with a coding agent, for a list in which people look for them again. Answer with the name alone: what it is about, in at most eight words, in the language of the message, with no quotes and no full stop. Do not answer the message itself.`;

/** A title for a conversation from its first message; the truncated message when the model gives none. */
export async function titleFor(
  text: string,
  stream: (request: StepRequest) => AsyncIterable<StepPart>,
  request: Pick<StepRequest, "model" | "signal">,
): Promise<string> {
  let title = "";
  try {
    const messages = [{ role: "user" as const, content: text.slice(0, 4_000) }];
    for await (const part of stream({
      ...request,
      system: PROMPT,
      messages,
      tools: [],
      maxOutputTokens: 1_000,
    })) {
      if (part.type === "text-delta") title += part.delta;
    }
  } catch {
    // A failed title is not an error: use the message.
  }
  return cut(firstLine(title)) || cut(firstLine(text)) || "New conversation";
}

function firstLine(text: string): string {
  // Only the beginning matters, and the text may be very long.
  const lines = text.trimStart().slice(0, 1_000).split("\n");
  const line = lines.find((each) => each.trim() !== "") ?? "";
  return line.trim().replace(/^["'“”]+|["'“”.]+$/gu, "");
}

function cut(line: string): string {
  const characters = Array.from(line);
  if (characters.length <= loopLimits.titleCharacters) return line;
  return `${characters
    .slice(0, loopLimits.titleCharacters - 1)
    .join("")
    .trimEnd()}…`;
}
