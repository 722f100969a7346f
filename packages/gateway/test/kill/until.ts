import { setTimeout } from "node:timers/promises";

/** Waits until it holds; says what did not hold when the time is over. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await setTimeout(20);
  }
}
