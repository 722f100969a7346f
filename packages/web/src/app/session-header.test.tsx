// @vitest-environment happy-dom
import type { SessionSnapshot } from "@landline/client";
import { emptyView, fold, type EventBody } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { show, still } from "../../test/fake-landline.tsx";
import { SessionProvider } from "../state/session.tsx";
import { SessionHeader } from "./session-header.tsx";

afterEach(cleanup);

const happened: readonly EventBody[] = [
  {
    kind: "session-opened",
    agent: "a",
    cwd: "/repo",
    roots: [],
    title: "Fix it",
    parent: null,
    by: "me",
  },
  { kind: "agent-started", agentSessionId: "a", how: "new", info: null, capabilities: {} },
  { kind: "prompt-queued", promptId: "p", content: [], by: "me" },
  { kind: "turn-started", turnId: "t", promptId: "p" },
];

test.each([
  ["live", "Working", "Offline"],
  ["offline", "Offline", "Working"],
] as const)("a running turn while the connection is %s: %s", (state, shown, hidden) => {
  const events = happened.map((body, index) => Object.assign({}, body, { seq: index + 1, at: 1 }));
  const snapshot: Partial<SessionSnapshot> = { state, view: fold(emptyView(), events) };
  show(
    <SessionProvider sessionId="s">
      <SessionHeader />
    </SessionProvider>,
    { session: still(snapshot as SessionSnapshot) },
  );
  expect(screen.getAllByText(shown).length).toBeGreaterThan(0);
  expect(screen.queryByText(hidden)).toBeNull();
});
