import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Block, SessionView } from "@landline/protocol";

/**
 * The conversation as text, for an agent that cannot restore it: a resource in the first prompt of its new session.
 * The oldest parts are dropped if it is too long. Items before the view's window are omitted, because the items after
 * them are missing.
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
        // The prompt of the running turn is sent separately.
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
  const latest: string[] = [];
  let length = 0;
  for (const part of parts.toReversed()) {
    length += part.length;
    if (length > maxLength && latest.length > 0) return [leftOut, ...latest];
    latest.unshift(part.slice(-maxLength));
  }
  return isTrimmed ? [leftOut, ...latest] : latest;
}

const leftOut = "_Older parts are omitted._";

function textOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
}
