import type { DatabaseSync } from "node:sqlite";
import { LandlineError, limitsOf, type Limits } from "@landline/protocol";
import { Application } from "./application.ts";
import type { OpenAskSummary } from "./ask-table.ts";
import type { AuditPage, AuditQuery } from "./audit-table.ts";
import { emptyDatabase, joinDatabase, openDatabase, type Origin } from "./database.ts";
import { inTransaction } from "./migrate.ts";
import type { SearchHit, SearchOptions } from "./passage-table.ts";
import { databaseProblem } from "./problem.ts";
import { migrations } from "./schema.ts";
import type { AnyEvent } from "./session-facts.ts";
import type { DerivedSession, Progress, SessionPage, SessionQuery } from "./session-table.ts";
import type { Snapshot } from "./snapshot-table.ts";
import { openTables, type Tables } from "./tables.ts";

export interface DerivedOptions {
  readonly limits?: Limits;
}

/**
 * Opens what is derived from the logs, makes it when it is missing, and makes it anew when it can't be
 * used: `origin` says which. It throws `database-newer` for one that a newer version wrote.
 */
export function openDerived(path: string, options: DerivedOptions = {}): Derived {
  const limits = options.limits ?? limitsOf("default");
  const { database, origin } = openDatabase(path, migrations, limits);
  try {
    return new Derived(path, database, origin, limits);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A further connection to what `openDerived` opened and still has open, for another thread. */
export function joinDerived(path: string, { limits }: { readonly limits: Limits }): Derived {
  const database = joinDatabase(path, limits);
  try {
    return new Derived(path, database, { how: "opened" }, limits);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * What is derived from the logs, and answers from it. Everything here is a little behind the logs, and
 * can be thrown away and made again from them. Failures are `LandlineError`s and concern no log.
 */
export class Derived implements Disposable {
  readonly path: string;
  readonly origin: Origin;
  readonly #database: DatabaseSync;
  readonly #tables: Tables;
  readonly #limits: Limits;

  constructor(path: string, database: DatabaseSync, origin: Origin, limits: Limits) {
    this.path = path;
    this.origin = origin;
    this.#database = database;
    this.#limits = limits;
    this.#tables = this.#attempt(() => openTables(database, limits));
  }

  /** The number of the last event of the session that is in here; 0 when there is none. */
  applied(sessionId: string): number {
    return this.#attempt(() => this.#tables.sessions.appliedOf(sessionId));
  }

  /** How far every session is. */
  progress(): ReadonlyMap<string, Progress> {
    return this.#attempt(() => this.#tables.sessions.progress());
  }

  /**
   * Takes events in, all or none. Those at or below the applied number are ignored, so a repeat does no
   * harm; a number that is left out is an error. A snapshot is kept together with the events it is made of.
   */
  apply(sessionId: string, events: readonly AnyEvent[], snapshot?: Snapshot | null): void {
    this.#change(() => {
      const applied = this.#tables.sessions.appliedOf(sessionId);
      const fresh = events.filter(({ seq }) => seq > applied);
      if (fresh.length > 0) this.#take(sessionId, applied, fresh);
      const reached = fresh.at(-1)?.seq ?? applied;
      if (snapshot && snapshot.seq <= reached) this.#tables.snapshots.put(sessionId, snapshot);
    });
  }

  /** Whether there are messages that `indexDrafts` would make findable. */
  get hasStaleDrafts(): boolean {
    return this.#attempt(() => this.#tables.drafts.isStale);
  }

  /** Makes messages that are not finished findable as far as they are written. */
  indexDrafts(): void {
    this.#change(() => this.#tables.drafts.index(this.#tables.passages));
  }

  /**
   * Takes the session out of all answers at once, and erases a part of it, with its bytes on the disk.
   * Returns whether nothing is left: call it again until then, and let others have their turn in between.
   */
  deleteSession(sessionId: string): boolean {
    const isErased = this.#change(() =>
      this.#tables.sessions.delete(sessionId, this.#limits.eraseBatchRows),
    );
    if (isErased) this.#attempt(() => this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    return isErased;
  }

  /** Erases everything, for a rebuild. */
  clear(): void {
    this.#attempt(() => emptyDatabase(this.#database, migrations));
  }

  /** Where the latest snapshot of the session was made; 0 when there is none. */
  snapshotSeq(sessionId: string): number {
    return this.#attempt(() => this.#tables.snapshots.seqOf(sessionId));
  }

  /** The latest snapshot of the session, or null when there is none that can be used. */
  snapshotAt(sessionId: string): Snapshot | null {
    return this.#attempt(() => this.#tables.snapshots.latest(sessionId));
  }

  /** The session with the latest event first. */
  listSessions(query: SessionQuery = {}): SessionPage {
    return this.#attempt(() => this.#tables.sessions.list(query, this.#limits.pageRows));
  }

  titlesBeginning(beginning: string): readonly string[] {
    return this.#attempt(() => this.#tables.sessions.titlesBeginning(beginning));
  }

  session(sessionId: string): DerivedSession | null {
    return this.#attempt(() => this.#tables.sessions.one(sessionId));
  }

  /** The ask that has waited longest first; of all sessions, or of one. */
  openAsks(sessionId?: string): readonly OpenAskSummary[] {
    return this.#attempt(() => this.#tables.asks.open(sessionId, this.#limits.pageRows));
  }

  /** Every word of the text must occur; the last one may be the beginning of a word. Newest first. */
  search(text: string, options: SearchOptions = {}): readonly SearchHit[] {
    return this.#attempt(() => this.#tables.passages.search(text, options));
  }

  /** What was done for and by agents, oldest first. */
  audit(query: AuditQuery = {}): AuditPage {
    return this.#attempt(() => this.#tables.audit.list(query, this.#limits.pageRows));
  }

  /** Idempotent. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #take(sessionId: string, applied: number, events: readonly AnyEvent[]): void {
    const facts = this.#tables.sessions.open(sessionId);
    const application = new Application(sessionId, facts, this.#tables, this.#limits);
    let last = { seq: applied, at: 0 };
    for (const event of events) {
      if (event.seq <= last.seq) continue;
      if (event.seq !== last.seq + 1) throw missing(sessionId, last.seq + 1, event.seq);
      const taken = withWholeTime(event);
      application.take(taken);
      last = taken;
    }
    application.write(last);
  }

  #change<Result>(action: () => Result): Result {
    return this.#attempt(() => inTransaction(this.#database, action));
  }

  #attempt<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw databaseProblem(error, this.path);
    }
  }
}

function missing(sessionId: string, expected: number, found: number): LandlineError {
  return new LandlineError("internal-error", {
    message: `Session ${sessionId}: event ${expected} should come next, and ${found} came.`,
    data: { sessionId, expected, found },
  });
}

/** Columns of times hold whole numbers; a log that was written by hand may hold others. */
function withWholeTime(event: AnyEvent): AnyEvent {
  if (Number.isSafeInteger(event.at)) return event;
  const limit = Number.MAX_SAFE_INTEGER;
  return { ...event, at: Math.trunc(Math.min(limit, Math.max(-limit, event.at))) };
}
