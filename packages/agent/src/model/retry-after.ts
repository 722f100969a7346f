import type { ProviderError } from "./provider-error.ts";

/** The wait that the provider asks for, in a header or in Google's body; undefined when there is none. */
export function retryAfterMsOf(providerError: ProviderError, now = Date.now()): number | undefined {
  const headers = Object.fromEntries(
    Object.entries(providerError.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (
    milliseconds(headers["retry-after-ms"]) ??
    milliseconds(headers["retry-after"], 1_000) ??
    untilDate(headers["retry-after"], now) ??
    retryDelayOf(providerError.body)
  );
}

function milliseconds(text: string | undefined, unit = 1): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Math.ceil(Number(text) * unit);
}

function untilDate(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/\d{2}:\d{2}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Google's `error.details[].retryDelay`, such as "34.5s". */
function retryDelayOf(body: unknown): number | undefined {
  const details = (body as { error?: { details?: unknown } } | null | undefined)?.error?.details;
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as unknown[]) {
    const delay = (detail as { retryDelay?: unknown } | null)?.retryDelay;
    if (typeof delay === "string" && delay.endsWith("s")) {
      const waitMs = milliseconds(delay.slice(0, -1), 1_000);
      if (waitMs !== undefined) return waitMs;
    }
  }
  return undefined;
}
