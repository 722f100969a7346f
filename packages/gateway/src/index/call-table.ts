import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CallRecord } from "./call-record.ts";

/** Call records by the keys of their items. */
export class CallTable {
  readonly #one: StatementSync;
  readonly #save: StatementSync;

  constructor(database: DatabaseSync) {
    this.#one = database.prepare("SELECT record FROM calls WHERE session_id = ? AND key = ?");
    this.#save = database.prepare(
      `INSERT INTO calls (session_id, key, record) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET record = excluded.record`,
    );
  }

  one(sessionId: string, key: string): CallRecord | null {
    const record = this.#one.get(sessionId, key)?.["record"];
    return typeof record === "string" ? (JSON.parse(record) as CallRecord) : null;
  }

  save(sessionId: string, key: string, record: CallRecord): void {
    this.#save.run(sessionId, key, JSON.stringify(record).toWellFormed());
  }
}
