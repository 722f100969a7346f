import type { ConnectionSnapshot, Landline, Me, SessionList, Store } from "@landline/client";
import { LandlineProvider } from "@landline/client/react";
import type { AgentSummary, SessionSummary } from "@landline/protocol";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactNode } from "react";
import { MeProvider } from "../src/state/session.tsx";

export interface Scene {
  readonly sessions?: readonly SessionSummary[];
  readonly agents?: readonly AgentSummary[];
  readonly open?: Landline["open"];
  readonly signOut?: Landline["signOut"];
  readonly answerSignIn?: Landline["answerSignIn"];
  readonly session?: Partial<ReturnType<Landline["session"]>>;
  readonly api?: Partial<Landline["api"]>;
  readonly connection?: Store<ConnectionSnapshot>;
  readonly role?: Me["role"];
  readonly rulesDamage?: Me["rulesDamage"];
  /** For tests in which the client's identity changes. */
  readonly me?: Store<Me | null>;
  /** Replaces `sessions` in tests in which the list changes. */
  readonly list?: SessionList;
}

const me: Me = {
  clientId: "me",
  role: "admin",
  people: { me: "Laptop" },
  rulesDamage: null,
  cwd: "/home/me/app",
  home: "/home/me",
  version: "1.0.0",
};

export const online: ConnectionSnapshot = {
  state: "online",
  via: "websocket",
  since: 0,
  retryAt: null,
  error: null,
};

/** Renders a component with a fake gateway. */
export function show(children: ReactNode, scene: Scene = {}): RenderResult {
  const { sessions = [], agents = [anAgent("landline")] } = scene;
  const landline = {
    connection: scene.connection ?? still(online),
    sessions: scene.list ?? {
      ...still({ sessions, isLoaded: true, hasMore: false }),
      loadMore: none,
    },
    agents: still(agents),
    me: scene.me ?? still(me),
    open: scene.open ?? none,
    signOut: scene.signOut ?? none,
    answerSignIn: scene.answerSignIn ?? none,
    session: () => ({ ...still(null), ...scene.session }),
    api: { search: () => Promise.resolve({ hits: [] }), ...scene.api },
  } as unknown as Landline;
  return render(
    <LandlineProvider landline={landline}>
      <MeProvider
        value={{ ...me, role: scene.role ?? "admin", rulesDamage: scene.rulesDamage ?? null }}
      >
        {children}
      </MeProvider>
    </LandlineProvider>,
  );
}

export function anAgent(id: string, facts: Partial<AgentSummary> = {}): AgentSummary {
  return {
    id,
    name: id,
    found: true,
    how: "built in",
    install: null,
    signedIn: null,
    signInMethods: [],
    canSignOut: null,
    keys: null,
    progress: null,
    lastChoices: [],
    ...facts,
  };
}

export function still<Snapshot>(snapshot: Snapshot): Store<Snapshot> {
  return { subscribe: () => () => undefined, getSnapshot: () => snapshot };
}

function none(): Promise<never> {
  return Promise.reject(new Error("The test expects no such call."));
}
