import { isRecord } from "../record.ts";
import type { CommandOf } from "./read-input.ts";
import { bounds } from "./fields.ts";

type Answer = CommandOf<"answer">;

/**
 * The command that comes most often, in its plainest form: an option was chosen, and nothing else is
 * said. Null for everything else, right or wrong: what this returns, the schema would return too, in
 * fifteen times the time.
 */
export function readPlainAnswer(sent: unknown): Answer | null {
  if (!isRecord(sent) || sent["type"] !== "answer" || !isRecord(sent["outcome"])) return null;
  const { id, sessionId, askId } = sent;
  if (Object.keys(sent).length !== 5) return null;
  const { outcome, optionId } = sent["outcome"];
  if (outcome !== "selected" || Object.keys(sent["outcome"]).length !== 2) return null;
  if (!isId(sessionId) || !isId(askId) || !isId(optionId)) return null;
  if (!isId(id) && !isWhole(id)) return null;
  return { id, type: "answer", sessionId, askId, outcome: { outcome, optionId } };
}

function isId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length > 0 &&
    value.length <= bounds.idLength &&
    !value.includes("\0")
  );
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
