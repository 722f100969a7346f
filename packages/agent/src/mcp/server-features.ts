import type { Client, Prompt, Tool } from "@modelcontextprotocol/client";
import { mcpLimits } from "../limits.ts";

/** Maximum tools of one server. The rest is omitted. */
const toolsMax = 512;
/** Maximum prompts of one server. The rest is omitted. */
const promptsMax = 200;

/** What a server offered last. Kept when the connection is lost, because it is restored on use. */
export interface ServerFeatures {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: boolean;
  instructions: string;
}

export const noFeatures: ServerFeatures = {
  tools: [],
  prompts: [],
  resources: false,
  instructions: "",
};

export async function readFeatures(client: Client, signal: AbortSignal): Promise<ServerFeatures> {
  const capabilities = client.getServerCapabilities() ?? {};
  const { tools } = capabilities.tools
    ? await client.listTools({}, { signal, cacheMode: "refresh" })
    : noFeatures;
  const { prompts } = capabilities.prompts
    ? await client.listPrompts({}, { signal, cacheMode: "refresh" })
    : noFeatures;
  return {
    tools: tools.slice(0, toolsMax),
    prompts: prompts.slice(0, promptsMax),
    resources: capabilities.resources !== undefined,
    instructions: (client.getInstructions() ?? "").slice(0, mcpLimits.descriptionCharacters).trim(),
  };
}
