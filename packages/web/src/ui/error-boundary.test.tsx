// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ErrorBoundary } from "./error-boundary.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Row({ item }: { readonly item: string }) {
  if (item === "bad") throw new Error("No such thing.");
  return <p>{item}</p>;
}

const rows = (first: string, second: string) => (
  <>
    <ErrorBoundary of={first}>
      <Row item={first} />
    </ErrorBoundary>
    <ErrorBoundary of={second}>
      <Row item={second} />
    </ErrorBoundary>
  </>
);

test("a component that throws shows an error, leaves its siblings alone, and is retried when its input changes", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { rerender } = render(rows("first", "bad"));
  expect(screen.getByText("first")).toBeTruthy();
  expect(screen.getByText(/No such thing\./)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Reload the page" })).toBeTruthy();
  rerender(rows("first", "good"));
  expect(screen.getByText("good")).toBeTruthy();
  expect(screen.queryByText(/can't be shown/)).toBeNull();
});
