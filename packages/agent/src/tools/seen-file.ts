import type { SeenFile } from "../core/record.ts";
import { linesOf, textHash } from "../workspace/file-text.ts";
import type { TextFile } from "../workspace/workspace.ts";
import type { Place } from "./target-path.ts";
import { ToolFailure, type ToolContext } from "./tool.ts";

/** Keeps what the model reads of a file with this text. */
export function keepSeen(
  place: Place,
  text: string,
  { first, last, total }: SeenFile["lines"],
  context: ToolContext,
): void {
  const seen = { path: place.real, hash: textHash(text), lines: { first, last, total } };
  const { promptId, callId } = context;
  context.keep({ kind: "file-seen", promptId, callId, ...seen });
}

/** Keeps a text that the model wrote. `isWhole` is false when it never read all the lines around its change. */
export function keepWritten(
  place: Place,
  text: string,
  isWhole: boolean,
  context: ToolContext,
): void {
  const total = linesOf(text).length;
  keepSeen(place, text, { first: 1, last: isWhole ? total : 0, total }, context);
}

/**
 * Throws unless the file has the text that the model last read. What replaces a whole file needs a read
 * of every line, because the rest would be lost unseen. An empty file has nothing to lose.
 */
export function requireSeen(
  place: Place,
  before: TextFile | null,
  needed: "part" | "whole",
  context: ToolContext,
): void {
  if (before === null || before.text === "") return;
  const known = context.knownFile(place.real);
  if (known === null) {
    throw refusal("file-not-read", `${place.name} exists, and you have not read it.`, place);
  }
  if (known.hash !== textHash(before.text)) {
    throw refusal("file-changed", `${place.name} has changed since you last read it.`, place);
  }
  if (needed === "whole" && !known.isWhole) {
    throw refusal("file-not-read", `You have read only a part of ${place.name}.`, place);
  }
}

function refusal(reason: string, problem: string, place: Place): ToolFailure {
  const next = `Nothing was changed. Read ${place.name} with the read tool first, then make the change again.`;
  return new ToolFailure(reason, `${problem} ${next}`);
}
