import type { DatabaseSync } from "node:sqlite";
import { LandlineError, limitsOf, type Limits, type SessionSummary } from "@landline/protocol";
import type { AuditPage, AuditQuery } from "./audit-table.ts";
import type { CallRecord } from "./call-record.ts";
import { joinDatabase, openDatabase, type Origin } from "./database.ts";
import type { IndexRows } from "./index-rows.ts";
import { inTransaction, makeAgain } from "./migrate.ts";
import type { SearchHit, SearchOptions } from "./passage-table.ts";
import { databaseProblem } from "./problem.ts";
import { schema } from "./schema.ts";
import type { Progress, SessionPage, SessionQuery } from "./session-table.ts";
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
  const { database, origin } = openDatabase(path, schema, limits);
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

  /** Takes in what a run of events puts into the tables, all or nothing. Throws where the run does not come next. */
  apply(sessionId: string, rows: IndexRows): void {
    const { sessions, audit, passages, calls, snapshots } = this.#tables;
    this.#change(() => {
      const applied = sessions.appliedOf(sessionId);
      if (applied !== rows.after) throw notNext(sessionId, applied, rows.after);
      if (applied === 0) passages.erasing(() => sessions.makeRoom(sessionId));
      sessions.put(rows.summary, rows.unfinished);
      audit.add(sessionId, rows.audit);
      for (const [key, record] of rows.calls) calls.save(sessionId, key, record);
      passages.put(sessionId, rows.passages);
      if (rows.snapshot) snapshots.put(sessionId, rows.snapshot);
    });
  }

  /** A snapshot of events that are in here. */
  putSnapshot(sessionId: string, snapshot: Snapshot): void {
    this.#change(() => this.#tables.snapshots.put(sessionId, snapshot));
  }

  /** What is remembered of a call, by the key of its item. */
  callRecord(sessionId: string, key: string): CallRecord | null {
    return this.#attempt(() => this.#tables.calls.one(sessionId, key));
  }

  /** The keys of messages that are not in the search yet. */
  unfinished(sessionId: string): readonly string[] {
    return this.#attempt(() => this.#tables.sessions.unfinishedOf(sessionId));
  }

  /**
   * Takes the session out of all answers at once, and erases a part of it, with its bytes on the disk.
   * Returns whether nothing is left: call it again until then, and let others have their turn in between.
   */
  deleteSession(sessionId: string): boolean {
    const { sessions, passages } = this.#tables;
    const isErased = this.#change(() =>
      passages.erasing(() => sessions.delete(sessionId, this.#limits.eraseBatchRows)),
    );
    if (isErased) this.#attempt(() => this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    return isErased;
  }

  /** Erases everything, for a rebuild. */
  clear(): void {
    this.#attempt(() => makeAgain(this.#database, schema));
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

  /** As it was at the last event that is in here: the log may be ahead of `head`. */
  session(sessionId: string): SessionSummary | null {
    return this.#attempt(() => this.#tables.sessions.one(sessionId));
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

function notNext(sessionId: string, applied: number, after: number): LandlineError {
  return new LandlineError("internal-error", {
    message: `Session ${sessionId}: what comes after event ${applied} is wanted, and not what comes after ${after}.`,
    data: { sessionId, applied, after },
  });
}
