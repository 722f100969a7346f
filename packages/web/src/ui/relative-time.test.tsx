// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RelativeTime } from "./relative-time.tsx";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("a thousand relative times share one timer, which stops with the last of them", () => {
  const at = Date.now();
  const times = Array.from({ length: 1_000 }, (_, number) => at - number * 60_000);
  render(times.map((time) => <RelativeTime key={time} at={time} />));
  expect(vi.getTimerCount()).toBe(1);
  expect(screen.getAllByText("now")).toHaveLength(1);
  act(() => {
    vi.advanceTimersByTime(120_000);
  });
  expect(screen.queryByText("now")).toBeNull();
  cleanup();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(3_600_000);
  render(<RelativeTime at={at} />);
  expect(screen.getByText(/^1/).tagName).toBe("TIME");
});
