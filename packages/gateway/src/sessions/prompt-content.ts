import type { AgentCapabilities, ContentBlock } from "@agentclientprotocol/sdk";

/**
 * Converts a prompt for an agent's capabilities. All agents accept text and links. If an agent does not accept
 * embedded resources, files become links and others become text.
 */
export function promptFor(
  { promptCapabilities }: AgentCapabilities,
  content: readonly ContentBlock[],
): readonly ContentBlock[] {
  if (promptCapabilities?.embeddedContext === true) return content;
  return content.map((block) => (block.type === "resource" ? unpacked(block) : block));
}

function unpacked(block: Extract<ContentBlock, { type: "resource" }>): ContentBlock {
  const { uri, mimeType } = block.resource;
  if (!uri.startsWith("file:") && "text" in block.resource) {
    return { type: "text", text: `${uri}:\n\n${block.resource.text}` };
  }
  const name = decoded(uri).split("/").at(-1) ?? uri;
  return {
    type: "resource_link",
    name: name === "" ? uri : name,
    uri,
    ...(mimeType && { mimeType }),
  };
}

function decoded(uri: string): string {
  try {
    return decodeURI(uri);
  } catch {
    return uri;
  }
}
