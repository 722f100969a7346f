import { useSyncExternalStore } from "react";

const steps = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** All instances share one timer, because a list may show a thousand. It stops when there is none. */
const tickMs = 30_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** "3m ago", with the full time as a tooltip; updates itself. */
export function RelativeTime({ at }: { readonly at: number }) {
  const present = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={new Date(at).toISOString()} title={full.format(at)}>
      {relative(at - present)}
    </time>
  );
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(tick, tickMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function relative(differenceMs: number): string {
  for (const { unit, ms } of steps) {
    if (Math.abs(differenceMs) >= ms) return words.format(Math.round(differenceMs / ms), unit);
  }
  return "now";
}
