import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Numbered } from "@landline/protocol";
import type { PassageTable } from "./passage-table.ts";
import { clipText } from "./text.ts";

/**
 * Messages that are still being written, at most one in each thread.
 *
 * A message is indexed once, when the next thing in its thread begins or the turn ends, and not for each
 * chunk: until then its text is kept here, across transactions. `index` makes what is unfinished findable
 * too, at a flush; the finished message takes its place later.
 */
export class DraftTable {
  readonly #load: StatementSync;
  readonly #save: StatementSync;
  readonly #delete: StatementSync;
  readonly #stale: StatementSync;
  readonly #indexed: StatementSync;

  constructor(database: DatabaseSync) {
    this.#load = database.prepare(
      "SELECT thread, message_id AS messageId, seq, at, text FROM drafts WHERE session_id = ?",
    );
    this.#save = database.prepare(
      `INSERT INTO drafts (session_id, thread, message_id, seq, at, text, indexed) VALUES (?, ?, ?, ?, ?, ?, 0)
       ON CONFLICT DO UPDATE SET message_id = excluded.message_id, seq = excluded.seq, at = excluded.at,
         text = excluded.text, indexed = 0`,
    );
    this.#delete = database.prepare("DELETE FROM drafts WHERE session_id = ? AND thread = ?");
    this.#stale = database.prepare(
      "SELECT session_id AS sessionId, thread, seq, at, text FROM drafts WHERE indexed = 0",
    );
    this.#indexed = database.prepare("UPDATE drafts SET indexed = 1 WHERE indexed = 0");
  }

  open(sessionId: string, passages: PassageTable, length: number): Drafts {
    const rows = this.#load.all(sessionId) as unknown as StoredDraft[];
    const known = new Map(rows.map((row) => [row.thread, { ...row, changed: false }]));
    return new Drafts(known, {
      finish: (draft) =>
        passages.put(sessionId, `message ${draft.seq}`, "message", draft, draft.text),
      save: ({ thread, messageId, seq, at, text }) =>
        this.#save.run(sessionId, thread, messageId, seq, at, text),
      delete: (thread) => this.#delete.run(sessionId, thread),
      length,
    });
  }

  /** Whether there is something for `index` to do. */
  get isStale(): boolean {
    return this.#stale.get() !== undefined;
  }

  index(passages: PassageTable): void {
    const rows = this.#stale.all() as unknown as (StoredDraft & { readonly sessionId: string })[];
    for (const draft of rows)
      passages.put(draft.sessionId, `message ${draft.seq}`, "message", draft, draft.text);
    if (rows.length > 0) this.#indexed.run();
  }
}

interface StoredDraft extends Numbered {
  readonly thread: string;
  readonly messageId: string | null;
  readonly text: string;
}

interface OpenDraft extends StoredDraft {
  text: string;
  changed: boolean;
}

interface DraftActions {
  finish(draft: StoredDraft): void;
  save(draft: StoredDraft): void;
  delete(thread: string): void;
  readonly length: number;
}

/** The drafts of one session, during one transaction. */
export class Drafts {
  readonly #open: Map<string, OpenDraft>;
  readonly #gone = new Set<string>();
  readonly #actions: DraftActions;

  constructor(open: Map<string, OpenDraft>, actions: DraftActions) {
    this.#open = open;
    this.#actions = actions;
  }

  append(thread: string, messageId: string | null, event: Numbered, text: string): void {
    const known = this.#open.get(thread);
    if (known && known.messageId === messageId) {
      if (known.text.length >= this.#actions.length) return;
      known.text = clipText(known.text + text, this.#actions.length);
      known.changed = true;
      return;
    }
    this.finish(thread);
    this.#open.set(thread, {
      thread,
      messageId,
      seq: event.seq,
      at: event.at,
      changed: true,
      text: clipText(text, this.#actions.length),
    });
  }

  finish(thread: string): void {
    const known = this.#open.get(thread);
    if (!known) return;
    this.#actions.finish(known);
    this.#open.delete(thread);
    this.#gone.add(thread);
  }

  finishAll(): void {
    for (const thread of this.#open.keys()) this.finish(thread);
  }

  write(): void {
    for (const thread of this.#gone) if (!this.#open.has(thread)) this.#actions.delete(thread);
    for (const draft of this.#open.values()) if (draft.changed) this.#actions.save(draft);
  }
}
