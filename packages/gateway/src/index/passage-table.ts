import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Limits } from "@landline/protocol";
import { pageSize } from "./cursor.ts";
import { markEnd, markStart, readSnippet, searchQuery, type Snippet } from "./search-query.ts";
import type { Passage } from "./index-rows.ts";
import { cleanText, clipText, withSeams } from "./clean-text.ts";

export type PassageKind = "prompt" | "message" | "tool-call" | "title";

export interface SearchHit {
  readonly sessionId: string;
  /** The first event of the passage. */
  readonly seq: number;
  readonly at: number;
  readonly kind: PassageKind;
  readonly snippet: Snippet;
}

export interface SearchOptions {
  readonly limit?: number;
  readonly sessionId?: string;
}

/** The searchable texts. */
export class PassageTable {
  readonly #database: DatabaseSync;
  readonly #known: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #eraseOn: StatementSync;
  readonly #eraseOff: StatementSync;
  readonly #search: StatementSync;
  readonly #searchIn: StatementSync;
  readonly #limits: Limits;

  constructor(database: DatabaseSync, limits: Limits) {
    this.#database = database;
    this.#limits = limits;
    const setErasing = (value: 0 | 1) =>
      database.prepare(
        `INSERT INTO passage_index (passage_index, rank) VALUES ('secure-delete', ${value})`,
      );
    this.#eraseOn = setErasing(1);
    this.#eraseOff = setErasing(0);
    this.#known = database.prepare("SELECT 1 FROM passages WHERE session_id = ? AND key = ?");
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

  put(sessionId: string, passages: readonly Passage[]): void {
    const isKnown = ({ key }: Passage) => this.#known.get(sessionId, nameOf(key)) !== undefined;
    const known = new Set(passages.filter(isKnown));
    for (const passage of passages) if (!known.has(passage)) this.#putOne(sessionId, passage);
    if (known.size > 0)
      this.erasing(() => {
        for (const passage of known) this.#putOne(sessionId, passage);
      });
  }

  /**
   * Overwrites removed words on the disk. It is on only within a transaction that deletes, because it makes inserts
   * seven times slower.
   */
  erasing<Result>(action: () => Result): Result {
    this.#eraseOn.run();
    const result = action();
    // The index writes what it has gathered when a savepoint is made.
    this.#database.exec("SAVEPOINT written; RELEASE written");
    this.#eraseOff.run();
    return result;
  }

  #putOne(sessionId: string, { key, kind, seq, at, text }: Passage): void {
    const kept = clipText(
      cleanText(clipText(text, this.#limits.searchTextLength)),
      this.#limits.searchTextLength,
    );
    const name = nameOf(key);
    if (kept.trim() === "") this.#remove.run(sessionId, name);
    else this.#put.run(sessionId, name, kind, seq, at, withSeams(kept));
  }

  /** Latest indexed first. Results are not ranked, because ranking would read every occurrence of a common word. */
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

/** Clients and agents choose ids, which may be of any length. */
const keyLength = 1_100;

function nameOf(key: string): string {
  return cleanText(clipText(key, keyLength));
}

function hitOf(row: Record<string, unknown>): SearchHit {
  return { ...(row as unknown as SearchHit), snippet: readSnippet(String(row["snippet"])) };
}
