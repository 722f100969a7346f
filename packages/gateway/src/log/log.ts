import type { EventBody } from "@landline/protocol";

/**
 * The log: one append-only sequence of events per session, and the only source of truth.
 *
 * Guarantees of every implementation, tested by `log.contract.ts`:
 * - Sequence numbers start at 1, have no gaps and never change. Only one writer appends to a session's log.
 * - `append` is synchronous and one write: when it returns, the events survive a crash of the process;
 *   when it throws, none of them was stored and the next append uses the same numbers.
 * - Events up to `durable` survive a power failure; group commits advance it.
 * - A `tail` receives every event after its cursor once, in order, without a gap between reading and following.
 * - A slow reader loses no events and has no queue: it has a cursor.
 */
export interface SessionLog {
  readonly sessionId: string;
  /** The sequence number of the last event; 0 if there is none. */
  readonly head: number;
  readonly durable: number;
  /** The last event that readers may see: `head`, or `durable` with durability "disk". */
  readonly visible: number;
  append(drafts: readonly EventDraft[]): AppendedChunk;
  /** Resolves when `seq` is durable. Starts a sync if none is running. */
  whenDurable(seq: number): Promise<void>;
  /** The events after `after` that are visible at the time of the call, in bounded chunks. */
  read(after: number): AsyncIterable<LogChunk>;
  /** The last `limit` events before `before`, oldest first; null if there are none. */
  page(before: number, limit: number): Promise<LogChunk | null>;
  /** Sends all events after `after`, then new ones as they are appended. Throws `cursor-ahead` if `after` > `visible`. */
  tail(after: number, sink: TailSink): Tail;
  /** The text of a `$blob` reference of this session, or null if there is none. */
  blob(hash: string): Promise<Buffer | null>;
}

/** A log as clients see it: without the events that are not visible yet. */
export type VisibleLog = Pick<
  SessionLog,
  "sessionId" | "visible" | "read" | "page" | "tail" | "blob"
>;

/** A log for a reader that never writes. */
export type ReadableLog = Pick<SessionLog, "sessionId" | "head" | "read" | "tail" | "blob">;

/** An event without a sequence number. An update is the agent's own text and is stored unchanged. */
export type EventDraft = EventBody | UpdateDraft;

export interface UpdateDraft {
  readonly kind: "update";
  /** The JSON text of one object, without line breaks. The caller has parsed it. */
  readonly raw: string;
  /** The kind of update, as the caller parsed it. */
  readonly sessionUpdate?: unknown;
  readonly child?: string;
}

/** Consecutive whole lines of the log: one JSON object each, each ended by a line feed. */
export interface LogChunk {
  readonly first: number;
  readonly last: number;
  readonly bytes: Buffer;
}

export interface AppendedChunk extends LogChunk {
  /** Timestamp of the events. */
  readonly at: number;
}

export interface TailSink {
  /** Returns false if the sink is full. The sink then calls `resume` on the tail when it can accept more. */
  write(chunk: LogChunk): boolean;
  /** The tail has ended: reading failed (with an error), or the log was deleted or closed. */
  end(error?: Error): void;
}

export interface Tail extends Disposable {
  /** The sequence number of the last event passed to the sink. */
  readonly cursor: number;
  resume(): void;
}

/** All logs of one data folder. */
export interface Logs extends AsyncDisposable {
  /** The ids of all sessions that have a log. */
  list(): Promise<string[]>;
  /** Creates an empty log for a new session. */
  create(sessionId: string): Promise<SessionLog>;
  /** Returns the same object for the same id while it is in use. Throws `session-not-found` if there is no log. */
  open(sessionId: string): Promise<SessionLog>;
  /** Deletes everything stored for the session and ends its tails. */
  delete(sessionId: string): Promise<void>;
  /** The size and last write time of each log, for retention. */
  sizes(): Promise<LogSize[]>;
  /** Syncs and closes everything. Idempotent. */
  close(): Promise<void>;
}

export interface LogSize {
  readonly sessionId: string;
  readonly bytes: number;
  readonly lastAt: number;
}
