import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AuditRow } from "./audit-rows.ts";
import { pageSize, readCursor, writeCursor } from "./cursor.ts";
import { clipDetail } from "./clean-text.ts";

export type AuditKind =
  | "tool-started"
  | "tool-ended"
  /** The call named something new after its end, or another command while it was open. */
  | "tool-changed"
  | "file-read"
  | "file-written"
  | "command-started"
  /** The sandbox stopped the command, and it was allowed to run again. */
  | "command-restarted"
  | "command-ended"
  | "permission-decided"
  | "question-answered"
  /** Without a session: the session id is empty. */
  | "token-made"
  | "token-revoked"
  /** A browser registered a key with the link of a token. */
  | "key-made"
  /** For a deleted session. */
  | "session-deleted";

export interface AuditEntry {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
  readonly what: AuditKind;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  readonly sessionId?: string;
  /** The cursor of the previous page. */
  readonly after?: string;
  readonly limit?: number;
  /** Entries that are in no log, merged by time. */
  readonly besides?: readonly AuditEntry[];
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Pass it as `after`; null when there are no more entries. */
  readonly nextCursor: string | null;
}

interface Row extends Omit<AuditEntry, "detail"> {
  readonly part: number;
  readonly detail: string;
}

/** Tool calls, permission answers and services of the gateway in chronological order, across all sessions. */
export class AuditTable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #length: number;

  constructor(database: DatabaseSync, length: number) {
    this.#database = database;
    this.#length = length;
    this.#insert = database.prepare(
      "INSERT INTO audit (session_id, seq, part, at, what, detail) VALUES (?, ?, ?, ?, ?, ?)",
    );
  }

  /** Adds the rows of a run of events, in order. One event may have several entries. */
  add(sessionId: string, rows: readonly AuditRow[]): void {
    let last = 0;
    let part = 0;
    for (const { seq, at, what, detail } of rows) {
      part = seq === last ? part + 1 : 0;
      last = seq;
      this.#insert.run(sessionId, seq, part, at, what, clipDetail(detail, this.#length));
    }
  }

  /** Oldest first. */
  list(query: AuditQuery, most: number): AuditPage {
    const limit = pageSize(query.limit, most);
    const conditions: string[] = [];
    const values: (string | number)[] = [];
    if (query.sessionId !== undefined) {
      conditions.push("session_id = ?");
      values.push(query.sessionId);
    }
    const after = query.after === undefined ? null : readCursor(query.after, [0, "", 0, 0]);
    if (after) {
      conditions.push("(at, session_id, seq, part) > (?, ?, ?, ?)");
      values.push(...after);
    }
    const filter = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const found = this.#database
      .prepare(
        `SELECT session_id AS sessionId, seq, part, at, what, detail FROM audit ${filter}
         ORDER BY at, session_id, seq, part LIMIT ?`,
      )
      .all(...values, limit + 1) as unknown as Row[];
    const rows = withOthers(found, query.besides ?? [], after);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(entryOf),
      nextCursor:
        rows.length > limit && last
          ? writeCursor([last.at, last.sessionId, last.seq, last.part])
          : null,
    };
  }
}

type Position = readonly (string | number)[];

/** Compares in the order of the database. */
function compare(one: Position, other: Position): number {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}

const positionOf = ({ at, sessionId, seq, part }: Row): Position => [at, sessionId, seq, part];

function withOthers(
  rows: readonly Row[],
  besides: readonly AuditEntry[],
  after: Position | null,
): readonly Row[] {
  const others = besides
    .map((entry): Row => ({ ...entry, part: 0, detail: JSON.stringify(entry.detail) }))
    .filter((row) => after === null || compare(positionOf(row), after) > 0);
  if (others.length === 0) return rows;
  return [...others, ...rows].toSorted((one, other) => compare(positionOf(one), positionOf(other)));
}

function entryOf({ sessionId, seq, at, what, detail }: Row): AuditEntry {
  return { sessionId, seq, at, what, detail: JSON.parse(detail) as Record<string, unknown> };
}
