import { fileURLToPath } from "node:url";
import type { BuiltInAgent } from "@landline/gateway";

/**
 * How the gateway starts the built-in agent: with this Node and this command line, from the bundle if this runs from
 * one. The path is resolved once, so that editing a source does not change the agent of a running gateway.
 */
export function builtInAgent(): BuiltInAgent {
  const entry = fileURLToPath(new URL("./start.ts", import.meta.url));
  const conditions = entry.endsWith(".ts") ? ["--conditions=@landline/source"] : [];
  return {
    id: "landline",
    name: "Landline",
    command: process.execPath,
    args: [...conditions, entry, "agent"],
  };
}
