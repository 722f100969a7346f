import { fileURLToPath } from "node:url";

export type McpServerName = "tools" | "library" | "changing" | "hanging" | "broken" | "modern";

/** How one of the servers of this folder is started. */
export function mcpServerCommand(name: McpServerName): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL("main.ts", import.meta.url)), name],
  };
}
