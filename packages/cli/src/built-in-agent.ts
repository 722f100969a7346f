import { fileURLToPath } from "node:url";
import type { BuiltInAgent } from "@landline/gateway";

/**
 * How the gateway starts our own agent: with this Node and this command line, from the bundle when this
 * runs from one. What it lies in is not looked for again, so an edit of a source does not change the
 * agent under a gateway that runs.
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
