import type { Block, ToolCallItem } from "@landline/protocol";
import { callBlocks } from "../tools/call-text.ts";
import { toolSubject } from "../tools/tool-subject.ts";

/** The text of a request, without what the card already shows. */
export function requestBlocks(toolCall: ToolCallItem, because: readonly string[]): Block[] {
  const subject = toolSubject(toolCall);
  const line = subject.type === "command" ? subject.line : null;
  const said = new Set([toolCall.title.trim(), typeof line === "string" ? line.trim() : ""]);
  return callBlocks(toolCall).flatMap((block) => {
    if (block.type !== "text" || block.blob !== undefined) return [block];
    if (said.has(unfenced(block.text))) return [];
    const text = withoutReasons(block.text, because);
    return text === "" ? [] : [{ ...block, text }];
  });
}

/** Some agents repeat the command as a code block. */
function unfenced(text: string): string {
  return text
    .trim()
    .replace(/^```[\w-]*\n([\s\S]*?)\n?```$/u, "$1")
    .trim();
}

/** The built-in agent and the gateway give the same reasons in the same words. Shows only the gateway's. */
function withoutReasons(text: string, because: readonly string[]): string {
  const clauses = /^Asked because (.+)\.$/u.exec(text.trim())?.[1]?.split("; ");
  if (clauses === undefined) return text.trim() === "" ? "" : text;
  const left = clauses.filter((clause) => !because.includes(clause));
  return left.length === 0 ? "" : `Asked because ${left.join("; ")}.`;
}
