import type { SessionSummary } from "@landline/protocol";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Sessions } from "./sessions.ts";

type Listener = Parameters<Sessions["watch"]>[0];

/** Notifies watchers of the session list: only about changes that a list shows, and once per change. */
export class SessionChanges {
  readonly #metrics: Pick<Metrics, "sessions">;
  readonly #listeners = new Set<Listener>();
  readonly #shown = new Map<string, SessionSummary>();

  constructor(metrics: Pick<Metrics, "sessions">) {
    this.#metrics = metrics;
  }

  watch(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  note(summary: SessionSummary): void {
    const before = this.#shown.get(summary.sessionId);
    if (before && looksTheSame(before, summary)) return;
    if (before?.closedAt === null) this.#metrics.sessions.add(before.state, -1);
    if (summary.closedAt === null) this.#metrics.sessions.add(summary.state, 1);
    this.#shown.set(summary.sessionId, summary);
    this.#notify(summary);
  }

  /** Removes the last summary, so that the next one is not compared with it. */
  forget(sessionId: string): void {
    this.#shown.delete(sessionId);
  }

  deleted(sessionId: string, by: string): void {
    this.#notify({ sessionId, deleted: true, by });
  }

  #notify(change: Parameters<Listener>[0]): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function looksTheSame(before: SessionSummary, now: SessionSummary): boolean {
  return (
    before.state === now.state &&
    before.title === now.title &&
    before.firstPrompt === now.firstPrompt &&
    before.hasFailed === now.hasFailed &&
    before.closedAt === now.closedAt
  );
}
