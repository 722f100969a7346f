import type { SessionRecord } from "../core/record.ts";

export interface SessionInfo {
  sessionId: string;
  cwd: string;
  directories: string[];
  title: string | null;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/**
 * Sessions on disk: one append-only JSONL file each, mode 0600. An incomplete last line is removed at open;
 * any other invalid line is reported. One process writes a session at a time.
 */
export interface SessionStore {
  create(first: Extract<SessionRecord, { kind: "session-created" }>): Promise<SessionFile>;
  /** Throws StoreProblem `session-not-found`, `session-locked` or `broken`. */
  open(sessionId: string): Promise<SessionFile>;
  /**
   * The current records, even while another process writes. Unflushed records are not included. Throws like
   * `open`.
   */
  read(sessionId: string): Promise<SessionRecord[]>;
  /** Copies a session and its subagents' sessions; returns the new id. */
  fork(sessionId: string): Promise<string>;
  /** Root sessions, newest first, by page. Throws StoreProblem `bad-cursor` for a cursor of another list. */
  list(options: {
    cwd?: string;
    cursor?: string;
    limit?: number;
  }): Promise<{ sessions: SessionInfo[]; nextCursor: string | null }>;
  /**
   * Deletes the session, its subagents' sessions and all files; does nothing when there is none. Throws
   * `session-locked` when it is in use.
   */
  remove(sessionId: string): Promise<void>;
}

export interface SessionFile extends AsyncDisposable {
  readonly sessionId: string;
  /** The records at the time it was opened. */
  readonly records: readonly SessionRecord[];
  /** On disk when the next `flush` resolves. */
  append(record: SessionRecord): void;
  /** Throws StoreProblem `not-written` (full disk); unwritten records are kept for the next flush. */
  flush(): Promise<void>;
  /** A folder for long tool outputs, created on first use. */
  readonly outputs: string;
}

export type StoreProblemReason =
  | "session-not-found"
  | "session-locked"
  | "bad-cursor"
  | "broken"
  | "not-written";

export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
  readonly reason: StoreProblemReason;
  constructor(reason: StoreProblemReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
