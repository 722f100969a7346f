import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Block, SessionView } from "@landline/protocol";

/**
 * The conversation as text, for an agent that can't go back to it: a resource in the first prompt of its
 * new session. The latest part counts, so the oldest is left out when it is too long.
 */
export function transcriptBlock(
  view: SessionView,
  sessionId: string,
  maxLength: number,
  embedded: boolean,
): ContentBlock | null {
  const parts = view.items.flatMap((item): string[] => {
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
  const text = `# The conversation so far\n\n${fit(parts, maxLength).join("\n\n")}\n`;
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

function fit(parts: readonly string[], maxLength: number): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const part of parts.toReversed()) {
    length += part.length;
    if (length > maxLength && kept.length > 0) return ["_Older parts are left out._", ...kept];
    kept.unshift(part.slice(-maxLength));
  }
  return kept;
}

function textOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
}
