import type { AskItem, PermissionItem, ToolCallItem } from "@landline/protocol";
import { callBlocks } from "../tools/call-text.ts";

/**
 * Whether the sandbox stopped the command, which would run again without it, or it created protected places. Agents that run
 * commands themselves can't know that.
 */
export function isSandboxRequest(item: AskItem, toolCall: ToolCallItem | null): boolean {
  if (item.ask !== "permission" || item.leavesSandbox !== true) return false;
  return toolCall?.execution.isBuiltIn === true || toolCall?.execution.by === "landline";
}

/** Whether a sandbox request is about protected places that the command created. The option is that of `createdText` in @landline/sandbox. */
export function isAboutCreatedPlaces({ options }: PermissionItem): boolean {
  return options.some(({ optionId }) => optionId === "keep");
}

const none: readonly string[] = [];

/** Why no rule allows it, without the reasons that the agent's text already contains. */
export function reasonsBeside(
  item: PermissionItem,
  toolCall: ToolCallItem | null,
): readonly string[] {
  const { because = none } = item;
  if (because.length === 0 || toolCall === null || !isSandboxRequest(item, toolCall))
    return because;
  const said = callBlocks(toolCall)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n")
    .toLowerCase();
  return because.filter((reason) => reason !== onlyPerson && !said.includes(reason.toLowerCase()));
}

const onlyPerson = "only a person can let a command out of the sandbox";
