import type { Client, Prompt, Tool } from "@modelcontextprotocol/client";
import { mcpLimits } from "../limits.ts";

/** Tools of one server. The rest is left out. */
const toolsMax = 512;
/** Prompts of one server. The rest is left out. */
const promptsMax = 200;

/** What a server offers, as it was last told. It stays when the server dies, because it is started again on use. */
export interface Offer {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: boolean;
  instructions: string;
}

export const noOffer: Offer = { tools: [], prompts: [], resources: false, instructions: "" };

export async function readOffer(client: Client, signal: AbortSignal): Promise<Offer> {
  const capabilities = client.getServerCapabilities() ?? {};
  const { tools } = capabilities.tools
    ? await client.listTools({}, { signal, cacheMode: "refresh" })
    : noOffer;
  const { prompts } = capabilities.prompts
    ? await client.listPrompts({}, { signal, cacheMode: "refresh" })
    : noOffer;
  return {
    tools: tools.slice(0, toolsMax),
    prompts: prompts.slice(0, promptsMax),
    resources: capabilities.resources !== undefined,
    instructions: (client.getInstructions() ?? "").slice(0, mcpLimits.descriptionCharacters).trim(),
  };
}
