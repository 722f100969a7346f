import type { SessionSummary } from "@landline/protocol";
import { WritableStore, reuseIfEqual } from "./writable-store.ts";
import type { SessionList, SessionListSnapshot } from "./contract.ts";
import type { Api } from "./api.ts";
import type { Timing } from "./timing.ts";

/** The latest pushed summary of each session; null when it was deleted. */
type Pushed = Map<string, SessionSummary | null>;

/**
 * The session list, read in pages and updated by pushes. After a disconnect, all shown pages are read again; pushes
 * during a read take precedence.
 */
export class LoadedSessions extends WritableStore<SessionListSnapshot> implements SessionList {
  readonly #api: Api;
  readonly #timing: Timing;
  #sessions = new Map<string, SessionSummary>();
  #cursor: string | null = null;
  /** Pushes since the current read began. */
  #pushed: Pushed | null = null;
  #refreshing: Promise<void> | null = null;
  #refreshingNext: Promise<void> | null = null;
  #more: Promise<void> | null = null;
  #isLoaded = false;

  constructor(api: Api, timing: Timing) {
    super({ sessions: [], isLoaded: false, hasMore: false });
    this.#api = api;
    this.#timing = timing;
  }

  /**
   * Reads the shown pages again and discards a read in progress, which may have started before a disconnect and
   * missed changes.
   */
  refresh(): Promise<void> {
    if (this.#refreshing) {
      this.#refreshingNext ??= this.#refreshing
        .catch(() => {})
        .then(() => {
          this.#refreshingNext = null;
          return this.refresh();
        });
      return this.#refreshingNext;
    }
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = null;
      this.#pushed = null;
    });
    return this.#refreshing;
  }

  loadMore(): Promise<void> {
    this.#more ??= this.#loadMore().finally(() => {
      this.#more = null;
    });
    return this.#more;
  }

  hear(sessions: readonly SessionSummary[], gone: readonly string[]): void {
    for (const summary of sessions) {
      this.#pushed?.set(summary.sessionId, summary);
      this.#put(summary);
    }
    for (const sessionId of gone) {
      this.#pushed?.set(sessionId, null);
      this.#sessions.delete(sessionId);
    }
    this.#publish();
  }

  async #refresh(): Promise<void> {
    this.#pushed = new Map();
    const wanted = Math.max(this.#sessions.size, this.#timing.pageSessions);
    const read = new Map<string, SessionSummary>();
    let cursor: string | null = null;
    do {
      const limit: number = Math.min(1_000, wanted - read.size);
      const page = await this.#api.listSessions({ cursor: cursor ?? undefined, limit });
      for (const summary of page.sessions) read.set(summary.sessionId, summary);
      cursor = page.sessions.length > 0 ? page.nextCursor : null;
    } while (cursor !== null && read.size < wanted);
    const known = this.#sessions;
    this.#sessions = new Map();
    for (const summary of read.values()) {
      const before = known.get(summary.sessionId);
      this.#put(before ? reuseIfEqual(before, summary) : summary);
    }
    this.#cursor = cursor;
    this.#tellAgain();
    this.#isLoaded = true;
    this.#publish();
  }

  async #loadMore(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    if (!this.#isLoaded) await this.refresh();
    const cursor = this.#cursor;
    if (cursor === null) return;
    const pushed: Pushed = new Map();
    this.#pushed = pushed;
    try {
      const limit = this.#timing.pageSessions;
      const page = await this.#api.listSessions({ cursor, limit });
      // Another read has started since.
      if (this.#pushed !== pushed) return;
      for (const summary of page.sessions) this.#put(summary);
      this.#tellAgain();
      this.#cursor = page.sessions.length > 0 ? page.nextCursor : null;
      this.#publish();
    } finally {
      if (this.#pushed === pushed) this.#pushed = null;
    }
  }

  #tellAgain(): void {
    for (const [sessionId, summary] of this.#pushed ?? []) {
      if (summary) this.#put(summary);
      else this.#sessions.delete(sessionId);
    }
  }

  /** Of two summaries, the one with the higher head wins. */
  #put(summary: SessionSummary): void {
    const known = this.#sessions.get(summary.sessionId);
    if (known && known.head > summary.head) return;
    this.#sessions.set(summary.sessionId, known ? reuseIfEqual(known, summary) : summary);
  }

  #publish(): void {
    const known = this.getSnapshot();
    const sorted = [...this.#sessions.values()].sort(latestFirst);
    const isSame =
      sorted.length === known.sessions.length &&
      sorted.every((summary, position) => summary === known.sessions[position]);
    this.set({
      sessions: isSame ? known.sessions : sorted,
      isLoaded: this.#isLoaded,
      hasMore: this.#cursor !== null,
    });
  }
}

function latestFirst(some: SessionSummary, other: SessionSummary): number {
  return other.lastAt - some.lastAt || (some.sessionId < other.sessionId ? 1 : -1);
}
