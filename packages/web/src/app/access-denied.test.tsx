// @vitest-environment happy-dom
import type { ConnectionSnapshot } from "@landline/client";
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { online, show } from "../../test/fake-landline.tsx";
import { AccessDenied, useIsAccessDenied } from "./access-denied.tsx";

afterEach(cleanup);

test("a rejected client sees no content until the gateway accepts it again", () => {
  let snapshot = online;
  const listeners = new Set<() => void>();
  const connection = {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
  };
  const become = (state: ConnectionSnapshot["state"]) =>
    act(() => {
      snapshot = { ...online, state };
      for (const listener of listeners) listener();
    });
  show(<Shown />, { connection });
  const isShown = () => screen.queryByText("What was said") !== null;
  expect(isShown()).toBe(true);
  become("offline");
  expect(isShown()).toBe(true);
  become("refused");
  expect(isShown()).toBe(false);
  expect(screen.getByRole("alert").textContent).toContain("npx landline token url");
  become("connecting");
  expect(isShown()).toBe(false);
  become("online");
  expect(isShown()).toBe(true);
});

function Shown() {
  return useIsAccessDenied() ? <AccessDenied /> : <p>What was said</p>;
}
