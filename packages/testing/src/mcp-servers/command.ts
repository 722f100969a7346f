import { fileURLToPath } from "node:url";

export type McpServerName = "tools" | "library" | "changing" | "hanging" | "broken" | "modern";

/** The command that starts one of the servers in this folder. */
export function mcpServerCommand(name: McpServerName): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL("main.ts", import.meta.url)), name],
  };
}
