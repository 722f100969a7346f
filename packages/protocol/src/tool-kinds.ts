import type { ToolKind } from "@agentclientprotocol/sdk";

/** What ACP calls the kinds of tool calls, by which rules tell them apart. */
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
