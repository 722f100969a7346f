import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { emptyView, type SessionView } from "@landline/protocol";

/** A view as it was at event `seq`; what came after is to be folded onto it. */
export interface Snapshot {
  readonly seq: number;
  readonly view: SessionView;
}

/**
 * Raise it when the meaning or the inner shape of a view changes. Snapshots of another format are thrown
 * away and made again; a change of the outer shape is seen by itself.
 */
const viewFormat = 4;

const format = `${viewFormat}-${crc32(shapeOf(emptyView()))}`;

/** The latest snapshot of each session. A damaged one is as good as none: the log has it all. */
export class SnapshotTable {
  readonly #put: StatementSync;
  readonly #one: StatementSync;
  readonly #seq: StatementSync;

  constructor(database: DatabaseSync) {
    database.prepare("DELETE FROM snapshots WHERE format <> ?").run(format);
    this.#put = database.prepare(
      `INSERT INTO snapshots (session_id, seq, format, checksum, view) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET seq = excluded.seq, format = excluded.format,
         checksum = excluded.checksum, view = excluded.view
       WHERE excluded.seq >= seq`,
    );
    this.#one = database.prepare(
      "SELECT seq, format, checksum, view FROM snapshots WHERE session_id = ?",
    );
    this.#seq = database.prepare("SELECT seq FROM snapshots WHERE session_id = ?");
  }

  put(sessionId: string, { seq, view }: Snapshot): void {
    const text = JSON.stringify(view).toWellFormed();
    this.#put.run(sessionId, seq, format, crc32(text), text);
  }

  /** Where the latest one was made; 0 when there is none. */
  seqOf(sessionId: string): number {
    return Number(this.#seq.get(sessionId)?.["seq"] ?? 0);
  }

  latest(sessionId: string): Snapshot | null {
    const row = this.#one.get(sessionId);
    if (!row || row["format"] !== format) return null;
    const text = String(row["view"]);
    if (crc32(text) !== row["checksum"]) return null;
    return { seq: Number(row["seq"]), view: JSON.parse(text) as SessionView };
  }
}

/** The names of all fields, nested. */
function shapeOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  return Object.entries(value)
    .map(([name, field]) => `${name}(${shapeOf(field)})`)
    .sort()
    .join();
}
