import type { Cost } from "@agentclientprotocol/sdk";
import type { TurnUsage } from "@landline/protocol";

const number = new Intl.NumberFormat("en");

/** "42,000 of 200,000 tokens" */
export function contextText(used: number, size: number): string {
  return size > 0
    ? `${number.format(used)} of ${number.format(size)} tokens`
    : `${number.format(used)} tokens`;
}

/** Between 0 and 1. */
export function contextShare(used: number, size: number): number {
  return size > 0 ? Math.min(1, Math.max(0, used / size)) : 0;
}

/** "0.6 %" for small values, else "42 %". */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "below 0.1 %";
  return percent < 10 ? `${Number(percent.toFixed(1))} %` : `${Math.round(percent)} %`;
}

/** "$0.12"; an unknown currency follows the amount. */
export function costText({ amount, currency }: Cost): string {
  try {
    return new Intl.NumberFormat("en", {
      style: "currency",
      currency,
      maximumFractionDigits: Math.abs(amount) < 1 ? 4 : 2,
    }).format(amount);
  } catch {
    return `${number.format(amount)} ${currency}`;
  }
}

const parts = [
  ["inputTokens", "Input"],
  ["outputTokens", "Output"],
  ["thoughtTokens", "Thinking"],
  ["cachedReadTokens", "Read from cache"],
  ["cachedWriteTokens", "Written to cache"],
  ["totalTokens", "Total"],
] as const;

/** The tokens of a turn by type. */
export function turnParts(usage: TurnUsage): { readonly name: string; readonly count: string }[] {
  return parts.flatMap(([field, name]) => {
    const count = usage[field];
    if (typeof count !== "number" || count <= 0) return [];
    const isWithin = field === "thoughtTokens" && isThoughtWritten(usage);
    return [{ name: isWithin ? "Of that, thinking" : name, count: number.format(count) }];
  });
}

/** Most agents include thought tokens in the output tokens: then the other types add up to the total. */
function isThoughtWritten(usage: TurnUsage): boolean {
  const { thoughtTokens, outputTokens, totalTokens } = usage;
  if (!totalTokens || (outputTokens ?? 0) < (thoughtTokens ?? 0)) return false;
  const { inputTokens, cachedReadTokens, cachedWriteTokens } = usage;
  const sent = (inputTokens ?? 0) + (outputTokens ?? 0);
  return [sent, sent + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0)].includes(totalTokens);
}
