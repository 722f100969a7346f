import type { ToolKind } from "@agentclientprotocol/sdk";

/** ACP's kinds of tool calls, which rules match. */
export const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const satisfies readonly ToolKind[];

export function isToolKind(value: unknown): value is ToolKind {
  return toolKinds.some((kind) => kind === value);
}
