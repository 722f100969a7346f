import { useEffect, useState } from "react";

const steps = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** "3 min. ago", with the full time on hover; it grows old by itself. */
export function RelativeTime({ at }: { readonly at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(at).toISOString()} title={full.format(at)}>
      {relative(at - now)}
    </time>
  );
}

function relative(differenceMs: number): string {
  for (const { unit, ms } of steps) {
    if (Math.abs(differenceMs) >= ms) return words.format(Math.round(differenceMs / ms), unit);
  }
  return "now";
}
