import type { AgentCapabilities, ContentBlock } from "@agentclientprotocol/sdk";

/**
 * A prompt as this agent can take it. Text and links are everybody's; an embedded resource that an agent
 * did not offer to take becomes a link when it is a file, and text when it is not.
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
