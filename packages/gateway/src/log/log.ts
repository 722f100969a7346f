import type { EventBody } from "@landline/protocol";

/**
 * The log: one append-only sequence of events per session, and the only truth.
 *
 * Promises, kept by every implementation and proved by `log.contract.ts`:
 * - Numbers are dense, start at 1, and never change. Only one writer appends to a session's log.
 * - `append` is synchronous and one write: when it returns, the events survive the end of the process;
 *   when it throws, none of them was kept and the next append takes the same numbers.
 * - `durable` is the number up to which events survive a power cut; it follows by grouped syncs.
 * - A `tail` sees every event after its cursor once, in order, with no gap between reading and following.
 * - Nothing is dropped for a slow reader and nothing is queued for it: it is a cursor, not a queue.
 */
export interface SessionLog {
  readonly sessionId: string;
  /** The number of the last event; 0 when there is none. */
  readonly head: number;
  readonly durable: number;
  /** The number of the last event that readers may see: the head, or what is durable. */
  readonly visible: number;
  append(drafts: readonly EventDraft[]): AppendedChunk;
  /** Resolves when `seq` is durable; asks for a sync if none is under way. */
  whenDurable(seq: number): Promise<void>;
  /** The events after `after` that are visible at the time of the call, in bounded chunks. */
  read(after: number): AsyncIterable<LogChunk>;
  /** The last `limit` events before number `before`, oldest first; `null` when there are none. */
  page(before: number, limit: number): Promise<LogChunk | null>;
  /** Everything after `after`, then live. Throws `cursor-ahead` when the log does not reach that far. */
  tail(after: number, sink: TailSink): Tail;
  /** The text behind a `$blob` reference of this session, or null when there is none. */
  blob(hash: string): Promise<Buffer | null>;
}

/** A log as clients see it: an event that is written and not yet visible does not exist for them. */
export type VisibleLog = Pick<
  SessionLog,
  "sessionId" | "visible" | "read" | "page" | "tail" | "blob"
>;

/** What one who never writes needs of a log. */
export type ReadableLog = Pick<SessionLog, "sessionId" | "head" | "read" | "tail" | "blob">;

/** An event that has no number yet. An update is given as the agent's own text, and kept as it came. */
export type EventDraft = EventBody | UpdateDraft;

export interface UpdateDraft {
  readonly kind: "update";
  /** The JSON text of one object, without line breaks; its sender has parsed it. */
  readonly raw: string;
  /** The kind of update, as its sender parsed it. */
  readonly sessionUpdate?: unknown;
  readonly child?: string;
}

/** A run of whole lines, as they stand in the log: one JSON object each, each ended by a line feed. */
export interface LogChunk {
  readonly first: number;
  readonly last: number;
  readonly bytes: Buffer;
}

/** What one append wrote. */
export interface AppendedChunk extends LogChunk {
  /** The time of its events. */
  readonly at: number;
}

export interface TailSink {
  /** Returns false when it can take no more for now: call `resume` on the tail when it can. */
  write(chunk: LogChunk): boolean;
  /** The tail is over: reading failed, or the log was deleted or closed (no error). */
  end(error?: Error): void;
}

export interface Tail extends Disposable {
  /** The number of the last event given to the sink. */
  readonly cursor: number;
  resume(): void;
}

/** All logs of one data folder. */
export interface Logs extends AsyncDisposable {
  /** Ids of all sessions that have a log. */
  list(): Promise<string[]>;
  /** An empty log for a new session. */
  create(sessionId: string): Promise<SessionLog>;
  /** Throws `session-not-found` when there is none; the same object for the same id while it is in use. */
  open(sessionId: string): Promise<SessionLog>;
  /** Erases everything that is kept of the session. Its tails end. */
  delete(sessionId: string): Promise<void>;
  /** What each log takes on the disk and when it was last written, for retention. */
  sizes(): Promise<LogSize[]>;
  /** Syncs and closes everything. Idempotent. */
  close(): Promise<void>;
}

export interface LogSize {
  readonly sessionId: string;
  readonly bytes: number;
  readonly lastAt: number;
}
