import { act } from "@testing-library/react";
import { vi } from "vitest";
import { guardMs } from "../src/requests/answer-guard.ts";

/** The fake timers of the answer guard in component tests. */
export const guardClock: ("performance" | "requestAnimationFrame" | "cancelAnimationFrame")[] = [
  "performance",
  "requestAnimationFrame",
  "cancelAnimationFrame",
];

/** Advances the clock until the request accepts an answer. */
export function passAnswerGuard(): void {
  act(() => {
    // Nothing has a size here, so only a scroll event makes the guard check positions.
    document.dispatchEvent(new Event("scroll"));
    vi.advanceTimersByTime(2 * guardMs);
  });
}
