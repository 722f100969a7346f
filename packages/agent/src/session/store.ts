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
 * Sessions on disk: one JSONL file each, 0600. Append-only; a torn last line is cut at open; a broken
 * line before it is reported, never guessed. One process writes a session at a time.
 */
export interface SessionStore {
  create(first: Extract<SessionRecord, { kind: "session-created" }>): Promise<SessionFile>;
  /** Throws StoreProblem `session-not-found`, `session-locked` or `broken`. */
  open(sessionId: string): Promise<SessionFile>;
  /** What is in it now, whoever writes it; what waits to be written (`flush`) is not. Throws as `open` does. */
  read(sessionId: string): Promise<SessionRecord[]>;
  /** A copy under a new id, its subagents' sessions included; returns the id. */
  fork(sessionId: string): Promise<string>;
  /** Root sessions, newest first, a page at a time; a cursor of another list is refused (StoreProblem `bad-cursor`). */
  list(options: {
    cwd?: string;
    cursor?: string;
    limit?: number;
  }): Promise<{ sessions: SessionInfo[]; nextCursor: string | null }>;
  /** Removes it, its children and its files; no error when there is none. Throws `session-locked` when it is in use. */
  remove(sessionId: string): Promise<void>;
}

export interface SessionFile extends AsyncDisposable {
  readonly sessionId: string;
  /** What was in it when it was opened. */
  readonly records: readonly SessionRecord[];
  /** In order; on disk when the next `flush` resolves. */
  append(record: SessionRecord): void;
  /** Throws StoreProblem `not-written` (the disk is full); what was not written is kept, and tried again by the next. */
  flush(): Promise<void>;
  /** A folder for what is too long for a model: whole outputs of tools. Made on first use. */
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
