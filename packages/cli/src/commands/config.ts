import { configJsonSchema, loadConfig } from "@landline/gateway";
import { builtInAgent } from "../built-in-agent.ts";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";

export async function printSchema({ output }: CommandContext): Promise<number> {
  output.rawLine(JSON.stringify(await configJsonSchema(), null, 2));
  return exitCode.done;
}

/** Omits secrets: tokens, and the environment of agents and MCP servers. */
export async function showConfig({ output }: CommandContext, place: PlaceOptions): Promise<number> {
  const options = await loadConfig({
    flags: place,
    builtInAgent: builtInAgent(),
  });
  output.rawLine(JSON.stringify(options, hidden, 2));
  return exitCode.done;
}

function hidden(key: string, value: unknown): unknown {
  const isBag = (key === "env" || key === "headers") && typeof value === "object";
  return isBag || (key === "token" && typeof value === "string") ? "(hidden)" : value;
}
