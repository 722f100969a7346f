import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Input, Output, SessionSummary } from "@landline/protocol";
import { pageSize, readCursor, writeCursor } from "./cursor.ts";

export type SessionQuery = Omit<Input<"list-sessions">, "session">;

/** Sessions as of the last indexed event: the log may be ahead of `head`. */
export type SessionPage = Output<"list-sessions">;

interface Row {
  readonly id: string;
  readonly last_at: number;
  readonly summary: string;
}

/** The index progress of a session. */
export interface Progress {
  /** The sequence numbers of the last applied event and of the latest snapshot, or 0. */
  readonly applied: number;
  readonly snapshot: number;
  /** Whether it has messages that are not searchable yet. */
  readonly isUnfinished: boolean;
}

export class SessionTable {
  readonly #database: DatabaseSync;
  readonly #one: StatementSync;
  readonly #put: StatementSync;
  readonly #applied: StatementSync;
  readonly #unfinished: StatementSync;
  readonly #delete: StatementSync;
  readonly #markDeleted: StatementSync;
  readonly #eraseSmall: readonly StatementSync[];
  readonly #eraseTexts: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#one = database.prepare("SELECT summary FROM sessions WHERE id = ? AND deleted = 0");
    this.#applied = database.prepare("SELECT applied FROM sessions WHERE id = ? AND deleted = 0");
    this.#unfinished = database.prepare(
      "SELECT unfinished FROM sessions WHERE id = ? AND deleted = 0",
    );
    this.#put = database.prepare(
      `INSERT INTO sessions (id, applied, deleted, cwd, parent, title, last_at, agent_session, summary, unfinished)
       VALUES (:id, :applied, 0, :cwd, :parent, :title, :lastAt, :agentSession, :summary, :unfinished)
       ON CONFLICT DO UPDATE SET applied = excluded.applied, cwd = excluded.cwd, parent = excluded.parent,
         title = excluded.title, last_at = excluded.last_at, agent_session = excluded.agent_session, summary = excluded.summary,
         unfinished = excluded.unfinished`,
    );
    this.#delete = database.prepare("DELETE FROM sessions WHERE id = ?");
    this.#markDeleted = database.prepare("UPDATE sessions SET deleted = 1 WHERE id = ?");
    this.#eraseSmall = ["calls", "audit", "snapshots"].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE session_id = ?`),
    );
    this.#eraseTexts = database.prepare(
      "DELETE FROM passages WHERE id IN (SELECT id FROM passages WHERE session_id = ? LIMIT ?)",
    );
  }

  /** Includes sessions whose deletion must continue. */
  progress(): Map<string, Progress> {
    const rows = this.#database
      .prepare(
        `SELECT id, applied, ifnull(snapshots.seq, 0) AS snapshot, unfinished <> '[]' AS isUnfinished
         FROM sessions LEFT JOIN snapshots ON snapshots.session_id = sessions.id ORDER BY id`,
      )
      .all() as unknown as {
      id: string;
      applied: number;
      snapshot: number;
      isUnfinished: number;
    }[];
    return new Map(
      rows.map(({ id, applied, snapshot, isUnfinished }) => [
        id,
        { applied, snapshot, isUnfinished: isUnfinished === 1 },
      ]),
    );
  }

  appliedOf(sessionId: string): number {
    return Number(this.#applied.get(sessionId)?.["applied"] ?? 0);
  }

  /** The keys of messages that are not searchable yet. */
  unfinishedOf(sessionId: string): readonly string[] {
    const keys = this.#unfinished.get(sessionId)?.["unfinished"];
    return typeof keys === "string" ? (JSON.parse(keys) as string[]) : [];
  }

  /** Called before the first event of a session, because a deletion of the same id may be unfinished. */
  makeRoom(sessionId: string): void {
    this.#delete.run(sessionId);
  }

  put(summary: SessionSummary, unfinished: readonly string[], agentSessionId: string | null): void {
    const { sessionId, head, cwd, parent, title, lastAt } = summary;
    this.#put.run({
      id: sessionId,
      applied: head,
      cwd,
      parent,
      title,
      lastAt,
      // The decoder keeps values of other types.
      agentSession: typeof agentSessionId === "string" ? agentSessionId.toWellFormed() : null,
      summary: JSON.stringify(summary).toWellFormed(),
      unfinished: JSON.stringify(unfinished),
    });
  }

  /**
   * The first call hides the session; each call erases a part, and the last one returns true. Texts take longest,
   * because each word is removed from the search index.
   */
  delete(sessionId: string, texts: number): boolean {
    this.#markDeleted.run(sessionId);
    for (const erase of this.#eraseSmall) erase.run(sessionId);
    const { changes } = this.#eraseTexts.run(sessionId, texts);
    if (changes === texts) return false;
    this.#delete.run(sessionId);
    return true;
  }

  one(sessionId: string): SessionSummary | null {
    const summary = this.#one.get(sessionId)?.["summary"];
    return typeof summary === "string" ? (JSON.parse(summary) as SessionSummary) : null;
  }

  /** Sessions with these ids in their agent, by that id. */
  ofAgent(agent: string, agentSessionIds: readonly string[]): Map<string, string> {
    const rows = this.#database
      .prepare(
        `SELECT agent_session, id FROM sessions
         WHERE deleted = 0 AND agent_session IN (SELECT value FROM json_each(?1))
           AND json_extract(summary, '$.agent') = ?2`,
      )
      .all(JSON.stringify(agentSessionIds), agent) as unknown as {
      readonly agent_session: string;
      readonly id: string;
    }[];
    return new Map(rows.map(({ agent_session, id }) => [agent_session, id]));
  }

  titlesBeginning(beginning: string): readonly string[] {
    const rows = this.#database
      .prepare("SELECT title FROM sessions WHERE deleted = 0 AND substr(title, 1, length(?1)) = ?1")
      .all(beginning) as unknown as { readonly title: string }[];
    return rows.map(({ title }) => title);
  }

  /** Newest event first. */
  list(query: SessionQuery, most: number): SessionPage {
    const limit = pageSize(query.limit, most);
    const conditions = ["deleted = 0"];
    const values: (string | number)[] = [];
    const where = (condition: string, ...given: (string | number)[]) => {
      conditions.push(condition);
      values.push(...given);
    };
    if (query.cwd !== undefined) where("cwd = ?", query.cwd);
    if (query.parent !== undefined) where("parent = ?", query.parent);
    if (query.cursor !== undefined)
      where("(last_at, id) < (?, ?)", ...readCursor(query.cursor, [0, ""]));
    const rows = this.#database
      .prepare(
        `SELECT id, last_at, summary FROM sessions WHERE ${conditions.join(" AND ")}
         ORDER BY last_at DESC, id DESC LIMIT ?`,
      )
      .all(...values, limit + 1) as unknown as Row[];
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map(({ summary }) => JSON.parse(summary) as SessionSummary),
      nextCursor: rows.length > limit && last ? writeCursor([last.last_at, last.id]) : null,
    };
  }
}
