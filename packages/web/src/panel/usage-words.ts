import type { Cost } from "@agentclientprotocol/sdk";
import type { TurnUsage } from "@landline/protocol";

const number = new Intl.NumberFormat("en");

/** "42,000 of 200,000 tokens" */
export function contextWords(used: number, size: number): string {
  return size > 0
    ? `${number.format(used)} of ${number.format(size)} tokens`
    : `${number.format(used)} tokens`;
}

/** Between 0 and 1; more than all of it is all of it. */
export function contextShare(used: number, size: number): number {
  return size > 0 ? Math.min(1, Math.max(0, used / size)) : 0;
}

/** "$0.12"; a currency that nobody knows stands behind its amount. */
export function costWords({ amount, currency }: Cost): string {
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
  ["inputTokens", "Sent"],
  ["outputTokens", "Written"],
  ["thoughtTokens", "Thought"],
  ["cachedReadTokens", "Read from cache"],
  ["cachedWriteTokens", "Written to cache"],
  ["totalTokens", "Together"],
] as const;

/** The tokens of a turn by what they were for. */
export function turnParts(usage: TurnUsage): { readonly name: string; readonly count: string }[] {
  return parts.flatMap(([field, name]) => {
    const count = usage[field];
    return typeof count === "number" && count > 0 ? [{ name, count: number.format(count) }] : [];
  });
}
