import type { ModelInfo } from "../model/model.ts";
import type { Cost, Usage } from "./record.ts";

/** Rounded for display. */
export function shownCost({ amount, currency }: Cost): Cost {
  return { amount: Number(amount.toFixed(6)), currency };
}

/** Null when the model's prices are not known. */
export function costOf(info: ModelInfo, usage: Usage): Cost | null {
  if (!info.cost) return null;
  const { input, output, cachedRead = input, cachedWrite = input } = info.cost;
  const fresh = Math.max(usage.inputTokens - usage.cachedReadTokens - usage.cachedWriteTokens, 0);
  const millionths =
    fresh * input +
    usage.cachedReadTokens * cachedRead +
    usage.cachedWriteTokens * cachedWrite +
    usage.outputTokens * output;
  return { amount: millionths / 1_000_000, currency: "USD" };
}
