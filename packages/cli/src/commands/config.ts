import { configJsonSchema, loadConfig } from "@landline/gateway";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";

export async function printSchema({ output }: CommandContext): Promise<number> {
  output.rawLine(JSON.stringify(await configJsonSchema(), null, 2));
  return exitCode.done;
}

/** Without what is secret: the token, and the environment of agents and MCP servers. */
export async function showConfig({ output }: CommandContext, place: PlaceOptions): Promise<number> {
  const { token, ...options } = await loadConfig({ flags: place });
  const shown = { ...options, token: token === null ? null : "(hidden)" };
  output.rawLine(JSON.stringify(shown, hidden, 2));
  return exitCode.done;
}

function hidden(key: string, value: unknown): unknown {
  return (key === "env" || key === "headers") && typeof value === "object" ? "(hidden)" : value;
}
