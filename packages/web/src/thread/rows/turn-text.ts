import type { TurnEnd } from "@landline/protocol";
import { duration } from "../../ui/duration.ts";

/** The text for a stop reason; null for the ordinary end. */
export function stopReasonText(stopReason: string): string | null {
  switch (stopReason) {
    case "end_turn":
      return null;
    case "cancelled":
      return "Cancelled";
    case "max_tokens":
      return "Stopped: the answer reached the length limit";
    case "max_turn_requests":
      return "Stopped: the agent reached its limit of steps per turn";
    case "refusal":
      return "The agent refused to continue";
    case "interrupted":
      return "Interrupted";
    case "failed":
      return "Failed";
    default:
      return `Ended: ${stopReason.replaceAll("_", " ")}`;
  }
}

const numbers = new Intl.NumberFormat("en");

/** Shorter durations are not shown. */
const shownMs = 100;

/** "12 s · 3,400 tokens". */
export function turnFacts(end: TurnEnd, startedAt: number): string {
  const tokens = tokensOf(end.usage);
  const tookMs = end.at - startedAt;
  const words = tookMs < shownMs ? [] : [duration(tookMs)];
  if (tokens !== null) words.push(`${numbers.format(tokens)} ${tokens === 1 ? "token" : "tokens"}`);
  return words.join(" · ");
}

function tokensOf(usage: TurnEnd["usage"]): number | null {
  if (usage === null) return null;
  if (isCount(usage.totalTokens)) return usage.totalTokens;
  const sum = [usage.inputTokens, usage.outputTokens].filter(isCount);
  return sum.length === 0 ? null : sum.reduce((total, count) => total + count, 0);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
