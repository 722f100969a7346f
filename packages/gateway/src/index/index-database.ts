import type { DatabaseSync } from "node:sqlite";
import { LandlineError, limitsOf, type Limits, type SessionSummary } from "@landline/protocol";
import type { AuditPage, AuditQuery } from "./audit-table.ts";
import type { CallRecord } from "./call-record.ts";
import { joinDatabase, openDatabase, type Origin } from "./database.ts";
import type { IndexRows } from "./index-rows.ts";
import { inTransaction, recreateTables } from "./migrate.ts";
import type { SearchHit, SearchOptions } from "./passage-table.ts";
import { databaseError } from "./database-error.ts";
import { schema } from "./schema.ts";
import type { Progress, SessionPage, SessionQuery } from "./session-table.ts";
import type { Snapshot } from "./snapshot-table.ts";
import { openTables, type Tables } from "./tables.ts";

export interface IndexDatabaseOptions {
  readonly limits?: Limits;
}

/**
 * Opens the index, creates it when it is missing, and recreates it when it is unusable; `origin` says which. Throws
 * `database-newer` for a database of a newer version.
 */
export function openIndexDatabase(path: string, options: IndexDatabaseOptions = {}): IndexDatabase {
  const limits = options.limits ?? limitsOf("default");
  const { database, origin } = openDatabase(path, schema, limits);
  try {
    return new IndexDatabase(path, database, origin, limits);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens another connection to an open index, for another thread. */
export function joinIndexDatabase(
  path: string,
  { limits }: { readonly limits: Limits },
): IndexDatabase {
  const database = joinDatabase(path, limits);
  try {
    return new IndexDatabase(path, database, { how: "opened" }, limits);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The index and its queries. It is slightly behind the logs and can be rebuilt from them. Errors are `LandlineError`s
 * and never affect a log.
 */
export class IndexDatabase implements Disposable {
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

  /** The sequence number of the last indexed event of the session, or 0. */
  applied(sessionId: string): number {
    return this.#attempt(() => this.#tables.sessions.appliedOf(sessionId));
  }

  /** The progress of every session. */
  progress(): ReadonlyMap<string, Progress> {
    return this.#attempt(() => this.#tables.sessions.progress());
  }

  /** Writes the rows of a run of events in one transaction. Throws unless the run comes next. */
  apply(sessionId: string, rows: IndexRows): void {
    const { sessions, audit, passages, calls, snapshots } = this.#tables;
    this.#change(() => {
      const applied = sessions.appliedOf(sessionId);
      if (applied !== rows.after) throw notNext(sessionId, applied, rows.after);
      if (applied === 0) passages.erasing(() => sessions.makeRoom(sessionId));
      sessions.put(rows.summary, rows.unfinished, rows.agentSessionId);
      audit.add(sessionId, rows.audit);
      for (const [key, record] of rows.calls) calls.save(sessionId, key, record);
      passages.put(sessionId, rows.passages);
      if (rows.snapshot) snapshots.put(sessionId, rows.snapshot);
    });
  }

  /** Stores a snapshot of indexed events. */
  putSnapshot(sessionId: string, snapshot: Snapshot): void {
    this.#change(() => this.#tables.snapshots.put(sessionId, snapshot));
  }

  /** The record of a call, by the key of its item. */
  callRecord(sessionId: string, key: string): CallRecord | null {
    return this.#attempt(() => this.#tables.calls.one(sessionId, key));
  }

  /** The keys of messages that are not searchable yet. */
  unfinished(sessionId: string): readonly string[] {
    return this.#attempt(() => this.#tables.sessions.unfinishedOf(sessionId));
  }

  /**
   * Hides the session at once and erases a part of it from the disk. Returns true when nothing is left; call it
   * repeatedly and yield in between.
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
    this.#attempt(() => recreateTables(this.#database, schema));
  }

  /** The sequence number of the latest snapshot, or 0. */
  snapshotSeq(sessionId: string): number {
    return this.#attempt(() => this.#tables.snapshots.sizeOf(sessionId).seq);
  }

  /** The sequence number and size of the latest snapshot; 0 where there is none. */
  snapshotSize(sessionId: string): { readonly seq: number; readonly bytes: number } {
    return this.#attempt(() => this.#tables.snapshots.sizeOf(sessionId));
  }

  /** The latest usable snapshot, or null. */
  snapshotAt(sessionId: string): Snapshot | null {
    return this.#attempt(() => this.#tables.snapshots.latest(sessionId));
  }

  /** Sessions by their latest event, newest first. */
  listSessions(query: SessionQuery = {}): SessionPage {
    return this.#attempt(() => this.#tables.sessions.list(query, this.#limits.pageRows));
  }

  /** Sessions here, by their ids in the agent. */
  sessionsOfAgent(agent: string, agentSessionIds: readonly string[]): ReadonlyMap<string, string> {
    return this.#attempt(() => this.#tables.sessions.ofAgent(agent, agentSessionIds));
  }

  titlesBeginning(beginning: string): readonly string[] {
    return this.#attempt(() => this.#tables.sessions.titlesBeginning(beginning));
  }

  /** The session at its last indexed event: the log may be ahead of `head`. */
  session(sessionId: string): SessionSummary | null {
    return this.#attempt(() => this.#tables.sessions.one(sessionId));
  }

  /** Every word must occur; the last one may be a prefix. Newest first. */
  search(text: string, options: SearchOptions = {}): readonly SearchHit[] {
    return this.#attempt(() => this.#tables.passages.search(text, options));
  }

  /** The audit, oldest first. */
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
      throw databaseError(error, this.path);
    }
  }
}

function notNext(sessionId: string, applied: number, after: number): LandlineError {
  return new LandlineError("internal-error", {
    message: `Session ${sessionId}: expected the events after ${applied}, got those after ${after}.`,
    data: { sessionId, applied, after },
  });
}
