import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Limits } from "@landline/protocol";
import { pageSize } from "./cursor.ts";
import { markEnd, markStart, readSnippet, searchQuery, type Snippet } from "./search-query.ts";
import type { Passage } from "./index-rows.ts";
import { cleanText, clipText, withSeams } from "./text.ts";

export type PassageKind = "prompt" | "message" | "tool-call" | "title";

export interface SearchHit {
  readonly sessionId: string;
  /** The event that began what was found. */
  readonly seq: number;
  readonly at: number;
  readonly kind: PassageKind;
  readonly snippet: Snippet;
}

export interface SearchOptions {
  readonly limit?: number;
  readonly sessionId?: string;
}

/** What can be searched for. */
export class PassageTable {
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #search: StatementSync;
  readonly #searchIn: StatementSync;
  readonly #limits: Limits;

  constructor(database: DatabaseSync, limits: Limits) {
    this.#limits = limits;
    this.#put = database.prepare(
      `INSERT INTO passages (session_id, key, kind, seq, at, text) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, key) DO UPDATE SET seq = excluded.seq, at = excluded.at, text = excluded.text
       WHERE text <> excluded.text OR seq <> excluded.seq`,
    );
    this.#remove = database.prepare("DELETE FROM passages WHERE session_id = ? AND key = ?");
    const search = (filter: string) =>
      database.prepare(
        `SELECT passages.session_id AS sessionId, passages.seq, passages.at, passages.kind,
           snippet(passage_index, 0, '${markStart}', '${markEnd}', '…', 24) AS snippet
         FROM passage_index JOIN passages ON passages.id = passage_index.rowid
           JOIN sessions ON sessions.id = passages.session_id AND sessions.deleted = 0
         WHERE passage_index MATCH ? ${filter}
         ORDER BY passage_index.rowid DESC LIMIT ?`,
      );
    this.#search = search("");
    this.#searchIn = search("AND passages.session_id = ?");
  }

  put(sessionId: string, { key, kind, seq, at, text }: Passage): void {
    const kept = clipText(
      cleanText(clipText(text, this.#limits.searchTextLength)),
      this.#limits.searchTextLength,
    );
    const name = cleanText(clipText(key, keyLength));
    if (kept.trim() === "") this.#remove.run(sessionId, name);
    else this.#put.run(sessionId, name, kind, seq, at, withSeams(kept));
  }

  /**
   * What was indexed last comes first. Not ranked: ranking would read every occurrence of a common word,
   * and this stops when there are enough.
   */
  search(text: string, options: SearchOptions): SearchHit[] {
    const limit = pageSize(options.limit, this.#limits.pageRows);
    const query = searchQuery(text, this.#limits.searchQueryLength);
    if (query === null) return [];
    const rows =
      options.sessionId === undefined
        ? this.#search.all(query, limit)
        : this.#searchIn.all(query, options.sessionId, limit);
    return rows.map(hitOf);
  }
}

/** Ids in it are of clients and agents, and may be anything. */
const keyLength = 1_100;

function hitOf(row: Record<string, unknown>): SearchHit {
  return { ...(row as unknown as SearchHit), snippet: readSnippet(String(row["snippet"])) };
}
