import type { SeenFile } from "../core/record.ts";
import { linesOf, textHash } from "../workspace/file-text.ts";
import type { TextFile } from "../workspace/workspace.ts";
import type { TargetPath } from "./target-path.ts";
import { ToolFailure, type ToolContext } from "./tool.ts";

/** Records the lines of a file that the model read. */
export function recordRead(
  target: TargetPath,
  text: string,
  { first, last, total }: SeenFile["lines"],
  context: ToolContext,
): void {
  const seen = { path: target.real, hash: textHash(text), lines: { first, last, total } };
  const { promptId, callId } = context;
  context.append({ kind: "file-seen", promptId, callId, ...seen });
}

/** Records a text that the model wrote. `isWhole` is false when it never read all other lines. */
export function recordWrite(
  target: TargetPath,
  text: string,
  isWhole: boolean,
  context: ToolContext,
): void {
  const total = linesOf(text).length;
  recordRead(target, text, { first: 1, last: isWhole ? total : 0, total }, context);
}

/**
 * Throws unless the file has the text that the model read last. Replacing a whole file requires that every
 * line was read. An empty file needs no read.
 */
export function requireRead(
  target: TargetPath,
  before: TextFile | null,
  needed: "part" | "whole",
  context: ToolContext,
): void {
  if (before === null || before.text === "") return;
  const known = context.knownFile(target.real);
  if (known === null) {
    throw refusal("file-not-read", `${target.name} exists, and you have not read it.`, target);
  }
  if (known.hash !== textHash(before.text)) {
    throw refusal("file-changed", `${target.name} has changed since you last read it.`, target);
  }
  if (needed === "whole" && !known.isWhole) {
    throw refusal("file-not-read", `You have read only a part of ${target.name}.`, target);
  }
}

function refusal(reason: string, problem: string, target: TargetPath): ToolFailure {
  const next = `Nothing was changed. Read ${target.name} with the read tool first, then make the change again.`;
  return new ToolFailure(reason, `${problem} ${next}`);
}
