import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SessionSummary } from "@landline/protocol";
import { pageSize, readCursor, writeCursor } from "./cursor.ts";
import { noFacts, type SessionFacts } from "./session-facts.ts";

/** As a list shows it, up to the last event that is in here: the log may be ahead of `head`. */
export interface DerivedSession extends SessionSummary {
  readonly agentSessionId: string | null;
  readonly counts: {
    readonly prompts: number;
    readonly turns: number;
    readonly toolCalls: number;
    readonly openAsks: number;
    readonly errors: number;
  };
}

export interface SessionQuery {
  readonly cwd?: string;
  readonly parent?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

export interface SessionPage {
  readonly sessions: readonly DerivedSession[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface Row {
  readonly id: string;
  readonly applied: number;
  readonly agent: string;
  readonly cwd: string;
  readonly roots: string;
  readonly title: string | null;
  readonly title_by: SessionFacts["titleBy"];
  readonly first_prompt: string | null;
  readonly has_failed: number;
  readonly parent: string | null;
  readonly agent_session_id: string | null;
  readonly opened_at: number | null;
  readonly closed_at: number | null;
  readonly last_at: number;
  readonly turn: SessionFacts["turn"];
  readonly turn_seq: number;
  readonly agent_run: string;
  readonly open_asks: number;
  readonly prompts: number;
  readonly turns: number;
  readonly tool_calls: number;
  readonly errors: number;
}

/** The number of the last event that was applied, and of the latest snapshot; 0 when there is none. */
export interface Progress {
  readonly applied: number;
  readonly snapshot: number;
}

export class SessionTable {
  readonly #database: DatabaseSync;
  readonly #one: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #markDeleted: StatementSync;
  readonly #eraseSmall: readonly StatementSync[];
  readonly #eraseTexts: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#one = database.prepare("SELECT * FROM sessions WHERE id = ? AND deleted = 0");
    this.#insert = database.prepare(
      `INSERT INTO sessions (id, applied, deleted, agent, cwd, roots, last_at, turn, open_asks, prompts, turns,
         tool_calls, errors)
       VALUES (?, 0, 0, '', '', '[]', 0, 'idle', 0, 0, 0, 0, 0)`,
    );
    this.#update = database.prepare(
      `UPDATE sessions SET applied = :applied, agent = :agent, cwd = :cwd, roots = :roots, title = :title,
         title_by = :titleBy, first_prompt = :firstPrompt, has_failed = :hasFailed, parent = :parent, agent_session_id = :agentSessionId,
         opened_at = :openedAt, closed_at = :closedAt, last_at = ifnull(:lastAt, last_at), turn = :turn,
         turn_seq = :turnSeq, agent_run = :agentRun,
         prompts = :prompts, turns = :turns, errors = :errors, tool_calls = tool_calls + :newToolCalls,
         open_asks = (SELECT count(*) FROM asks INDEXED BY asks_open_of
           WHERE session_id = sessions.id AND settled_seq IS NULL)
       WHERE id = :id`,
    );
    this.#delete = database.prepare("DELETE FROM sessions WHERE id = ?");
    this.#markDeleted = database.prepare("UPDATE sessions SET deleted = 1 WHERE id = ?");
    this.#eraseSmall = ["asks", "tool_calls", "terminals", "drafts", "audit", "snapshots"].map(
      (table) => database.prepare(`DELETE FROM ${table} WHERE session_id = ?`),
    );
    this.#eraseTexts = database.prepare(
      "DELETE FROM passages WHERE id IN (SELECT id FROM passages WHERE session_id = ? LIMIT ?)",
    );
  }

  /** Also of those that are being deleted: they are to be deleted on. */
  progress(): Map<string, Progress> {
    const rows = this.#database
      .prepare(
        `SELECT id, applied, ifnull(snapshots.seq, 0) AS snapshot
         FROM sessions LEFT JOIN snapshots ON snapshots.session_id = sessions.id ORDER BY id`,
      )
      .all() as unknown as (Progress & { readonly id: string })[];
    return new Map(rows.map(({ id, applied, snapshot }) => [id, { applied, snapshot }]));
  }

  /** The row is made when there is none, so that others can refer to it. */
  open(sessionId: string): SessionFacts {
    const row = this.#row(sessionId);
    if (row) return factsOf(row);
    // One of the same id may be on its way out.
    this.#delete.run(sessionId);
    this.#insert.run(sessionId);
    return noFacts;
  }

  appliedOf(sessionId: string): number {
    return this.#row(sessionId)?.applied ?? 0;
  }

  /** Nothing has happened where `lastAt` is null: then it is as it was. */
  write(
    sessionId: string,
    facts: SessionFacts,
    news: {
      readonly applied: number;
      readonly lastAt: number | null;
      readonly newToolCalls: number;
    },
  ): void {
    this.#update.run({
      ...facts,
      roots: JSON.stringify(facts.roots),
      agentRun: JSON.stringify(facts.agentRun),
      hasFailed: facts.hasFailed ? 1 : 0,
      id: sessionId,
      ...news,
    });
  }

  /**
   * From the first call on nothing of it is in any answer; each erases a part of it, and the last one
   * returns true. Texts are what takes long: every word of them is taken out of the index.
   */
  delete(sessionId: string, texts: number): boolean {
    this.#markDeleted.run(sessionId);
    for (const erase of this.#eraseSmall) erase.run(sessionId);
    const { changes } = this.#eraseTexts.run(sessionId, texts);
    if (changes === texts) return false;
    this.#delete.run(sessionId);
    return true;
  }

  one(sessionId: string): DerivedSession | null {
    const row = this.#row(sessionId);
    return row ? summaryOf(row) : null;
  }

  titlesBeginning(beginning: string): readonly string[] {
    const rows = this.#database
      .prepare("SELECT title FROM sessions WHERE deleted = 0 AND substr(title, 1, length(?1)) = ?1")
      .all(beginning) as unknown as { readonly title: string }[];
    return rows.map(({ title }) => title);
  }

  /** The one with the latest event first. */
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
        `SELECT * FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY last_at DESC, id DESC LIMIT ?`,
      )
      .all(...values, limit + 1) as unknown as Row[];
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map(summaryOf),
      nextCursor: rows.length > limit && last ? writeCursor([last.last_at, last.id]) : null,
    };
  }

  #row(sessionId: string): Row | undefined {
    return this.#one.get(sessionId) as unknown as Row | undefined;
  }
}

function factsOf(row: Row): SessionFacts {
  return {
    agent: row.agent,
    cwd: row.cwd,
    roots: JSON.parse(row.roots) as string[],
    title: row.title,
    titleBy: row.title_by,
    firstPrompt: row.first_prompt,
    hasFailed: row.has_failed === 1,
    parent: row.parent,
    agentSessionId: row.agent_session_id,
    agentRun: JSON.parse(row.agent_run) as SessionFacts["agentRun"],
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    turn: row.turn,
    turnSeq: row.turn_seq,
    prompts: row.prompts,
    turns: row.turns,
    errors: row.errors,
  };
}

function summaryOf(row: Row): DerivedSession {
  const {
    titleBy: _titleBy,
    agentRun: _agentRun,
    turn,
    turnSeq: _turnSeq,
    prompts,
    turns,
    errors,
    ...facts
  } = factsOf(row);
  return {
    sessionId: row.id,
    ...facts,
    lastAt: row.last_at,
    state: row.open_asks > 0 ? "needs-answer" : turn,
    head: row.applied,
    counts: { prompts, turns, toolCalls: row.tool_calls, openAsks: row.open_asks, errors },
  };
}
