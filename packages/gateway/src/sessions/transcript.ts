import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Block, SessionView } from "@landline/protocol";

/**
 * The conversation as text, for an agent that can't go back to it: a resource in the first prompt of its
 * new session. The latest part counts, so the oldest is left out when it is too long, or not in the view. What a view
 * keeps from before its window is no part of it: what was asked and said in between is missing.
 */
export function transcriptBlock(
  view: SessionView,
  sessionId: string,
  maxLength: number,
  embedded: boolean,
): ContentBlock | null {
  const { items, trimmed } = view;
  const parts = items.flatMap((item): string[] => {
    if (trimmed !== null && item.first < trimmed.before) return [];
    switch (item.type) {
      case "prompt":
        // The one whose turn runs is sent beside the transcript.
        return item.end === null ? [] : [`## User\n\n${textOf(item.content)}`];
      case "message":
        return [`## ${item.role === "agent" ? "Assistant" : "User"}\n\n${textOf(item.content)}`];
      case "tool-call":
        return [`_Tool: ${item.title} (${item.ended ?? item.status})_`];
      default:
        return [];
    }
  });
  if (parts.length === 0) return null;
  const text = `# The conversation so far\n\n${fit(parts, maxLength, trimmed !== null).join("\n\n")}\n`;
  if (!embedded) return { type: "text", text };
  return {
    type: "resource",
    resource: {
      uri: `landline://sessions/${sessionId}/transcript`,
      mimeType: "text/markdown",
      text,
    },
  };
}

function fit(parts: readonly string[], maxLength: number, isTrimmed: boolean): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const part of parts.toReversed()) {
    length += part.length;
    if (length > maxLength && kept.length > 0) return [leftOut, ...kept];
    kept.unshift(part.slice(-maxLength));
  }
  return isTrimmed ? [leftOut, ...kept] : kept;
}

const leftOut = "_Older parts are left out._";

function textOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
}
