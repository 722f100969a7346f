import { act } from "@testing-library/react";
import { vi } from "vitest";
import { guardMs } from "../src/requests/answer-guard.ts";

/** For tests of components: the clock of the guard over answers, which stands still until a test turns it on. */
export const guardClock: ("performance" | "requestAnimationFrame" | "cancelAnimationFrame")[] = [
  "performance",
  "requestAnimationFrame",
  "cancelAnimationFrame",
];

/** Until what is asked takes an answer, where it stands now: a frame shows it first. */
export function passAnswerGuard(): void {
  act(() => {
    // Nothing has a size here, so the guard looks only when it is told to.
    document.dispatchEvent(new Event("scroll"));
    vi.advanceTimersByTime(2 * guardMs);
  });
}
