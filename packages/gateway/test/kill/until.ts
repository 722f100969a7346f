import { setTimeout } from "node:timers/promises";

/** Polls until it holds; the error names the condition. */
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
