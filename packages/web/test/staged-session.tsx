import type { Landline, Session, SessionSnapshot } from "@landline/client";
import { LandlineProvider } from "@landline/client/react";
import { emptyView, fold, type EventBody, type SessionEvent } from "@landline/protocol";
import type { ReactNode } from "react";
import { SessionProvider } from "../src/state/session.tsx";

export const opened: EventBody = {
  kind: "session-opened",
  agent: "a",
  cwd: "/repo",
  roots: [],
  title: null,
  parent: null,
  by: "me",
};

type Listener = (events: readonly SessionEvent[]) => void;

/** A session for component tests, folded from the given events. */
export class StagedSession {
  readonly events: SessionEvent[] = [];
  #view = emptyView();
  #snapshot: SessionSnapshot;
  readonly #subscribers = new Set<() => void>();
  readonly #listeners = new Set<Listener>();
  readonly #landline: Landline;

  /** `api` replaces API methods. */
  constructor(bodies: readonly EventBody[] = [], api: Partial<Landline["api"]> = {}) {
    this.#snapshot = this.#made();
    const session = {
      id: "staged",
      subscribe: (subscriber: () => void) => {
        this.#subscribers.add(subscriber);
        return () => this.#subscribers.delete(subscriber);
      },
      getSnapshot: () => this.#snapshot,
      onEvents: (listener: Listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    this.#landline = {
      api,
      session: () => session as unknown as Session,
    } as unknown as Landline;
    this.add(...bodies);
  }

  get view() {
    return this.#view;
  }

  add(...bodies: readonly EventBody[]): void {
    const come = bodies.map((body, index): SessionEvent => {
      const seq = this.events.length + index + 1;
      return Object.assign({}, body, { seq, at: seq * 1_000 });
    });
    this.events.push(...come);
    this.#view = fold(this.#view, come);
    this.#snapshot = this.#made();
    for (const subscriber of this.#subscribers) subscriber();
    for (const listener of this.#listeners) listener(come);
  }

  /** Provides the session to components. */
  readonly Stage = ({ children }: { readonly children: ReactNode }) => (
    <LandlineProvider landline={this.#landline}>
      <SessionProvider sessionId="staged">{children}</SessionProvider>
    </LandlineProvider>
  );

  #made(): SessionSnapshot {
    return {
      sessionId: "staged",
      state: "live",
      view: this.#view,
      older: none,
      history: "whole",
      behind: 0,
      outgoing: [],
      error: null,
    };
  }
}

const none: SessionSnapshot["older"] = [];
