import type { Landline, Me, Session, SessionSnapshot } from "@landline/client";
import { LandlineProvider } from "@landline/client/react";
import {
  emptyView,
  fold,
  type AgentSummary,
  type EventBody,
  type SessionEvent,
} from "@landline/protocol";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi, type Mock } from "vitest";
import { MeProvider, SessionProvider } from "../src/state/session.tsx";

/** A session whose events the test provides, and the recorded calls of its methods and of the API. */
export interface FakeSession {
  readonly asked: Mock<(what: string, ...details: readonly unknown[]) => Promise<unknown>>;
  /** Adds events to the session. */
  readonly tell: (...events: readonly EventBody[]) => void;
  readonly change: (part: Partial<SessionSnapshot>) => void;
  /** Replaces the rendered component. */
  readonly show: (shown: ReactNode) => void;
}

export const me: Me = {
  clientId: "me",
  role: "admin",
  people: { me: "Me", anna: "Anna" },
  rulesDamage: null,
  cwd: "/repo",
  home: "/home",
  version: "0",
};

export const opened: EventBody = {
  kind: "session-opened",
  agent: "scripted",
  cwd: "/repo",
  roots: ["/repo"],
  title: null,
  parent: null,
  by: "me",
};

export const started: EventBody = {
  kind: "agent-started",
  agentSessionId: "a",
  how: "new",
  info: { name: "scripted", version: "1" },
  capabilities: { promptCapabilities: { image: true, embeddedContext: true } },
};

export interface FakeSessionOptions {
  readonly events?: readonly EventBody[];
  readonly who?: Me;
  readonly agents?: readonly AgentSummary[];
}

export function renderWithSession(
  shown: ReactNode,
  { events = [opened, started], who = me, agents = [] }: FakeSessionOptions = {},
): FakeSession {
  const asked: FakeSession["asked"] = vi.fn(async () => undefined);
  let seq = 0;
  const numbered = (bodies: readonly EventBody[]) =>
    bodies.map((body): SessionEvent => ({ seq: ++seq, at: seq, ...body }));
  let snapshot: SessionSnapshot = {
    sessionId: "s",
    state: "live",
    view: fold(emptyView(), numbered(events)),
    older: [],
    history: "whole",
    behind: 0,
    outgoing: [],
    error: null,
  };
  const listeners = new Set<() => void>();
  const set = (next: SessionSnapshot) => {
    act(() => {
      snapshot = next;
      for (const listener of listeners) listener();
    });
  };
  const session = asking(asked, {
    id: "s",
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
  }) as unknown as Session;
  const landline = {
    session: () => session,
    api: asking(asked, {}),
    agents: { subscribe: () => () => undefined, getSnapshot: () => agents },
  } as unknown as Landline;
  const onLine = (children: ReactNode) => (
    <LandlineProvider landline={landline}>
      <MeProvider value={who}>
        <SessionProvider sessionId="s">{children}</SessionProvider>
      </MeProvider>
    </LandlineProvider>
  );
  const { rerender } = render(onLine(shown));
  return {
    asked,
    tell: (...bodies) =>
      set({ ...snapshot, view: fold(snapshot.view ?? emptyView(), numbered(bodies)) }),
    show: (next) => rerender(onLine(next)),
    change: (part) => set({ ...snapshot, ...part }),
  };
}

/** Records all other method calls; the test provides the results. */
function asking(asked: FakeSession["asked"], known: object): object {
  return new Proxy(known, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      ((...details: readonly unknown[]) => asked(String(name), ...details)),
  });
}
