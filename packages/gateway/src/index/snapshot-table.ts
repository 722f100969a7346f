import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { emptyView, type SessionView } from "@landline/protocol";

/** A view at event `seq`. Later events must be folded onto it. */
export interface Snapshot {
  readonly seq: number;
  readonly view: SessionView;
}

/**
 * Increase it when the meaning or inner shape of a view changes. Snapshots of another format are deleted and recreated;
 * changes of the outer shape are detected.
 */
const viewFormat = 4;

const format = `${viewFormat}-${crc32(shapeOf(emptyView()))}`;

/** The latest snapshot of each session. A damaged one is ignored, because the log has all events. */
export class SnapshotTable {
  readonly #put: StatementSync;
  readonly #one: StatementSync;
  readonly #size: StatementSync;

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
    this.#size = database.prepare(
      "SELECT seq, octet_length(view) AS bytes FROM snapshots WHERE session_id = ?",
    );
  }

  put(sessionId: string, { seq, view }: Snapshot): void {
    const text = JSON.stringify(view).toWellFormed();
    this.#put.run(sessionId, seq, format, crc32(text), text);
  }

  /** The sequence number and size of the latest snapshot; 0 where there is none. Does not read the view. */
  sizeOf(sessionId: string): { readonly seq: number; readonly bytes: number } {
    const row = this.#size.get(sessionId);
    return { seq: Number(row?.["seq"] ?? 0), bytes: Number(row?.["bytes"] ?? 0) };
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
