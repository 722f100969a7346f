import { limitsOf } from "@landline/protocol";
import type { AnyEvent } from "../../src/index/any-event.ts";
import type { IndexDatabase } from "../../src/index/index-database.ts";
import { initialFoldState } from "../../src/index/fold-with-snapshots.ts";
import { SessionIndex } from "../../src/index/session-index.ts";
import type { ReadableLog } from "../../src/log/log.ts";

const indexes = new WeakMap<IndexDatabase, Map<string, SessionIndex>>();

/** Applies events as an indexer does, with a fold in this process and without long texts. */
export async function feed(
  indexDatabase: IndexDatabase,
  sessionId: string,
  events: readonly AnyEvent[],
): Promise<void> {
  const run = await indexOf(indexDatabase, sessionId).read(events);
  if (run.rows.summary.head === run.rows.after) return;
  indexDatabase.apply(sessionId, run.rows);
  run.commit();
}

/** Makes unfinished messages searchable. */
export async function finishMessages(indexDatabase: IndexDatabase): Promise<void> {
  for (const [sessionId, index] of indexes.get(indexDatabase) ?? []) {
    const run = await index.readUnfinished();
    if (run === null) continue;
    indexDatabase.apply(sessionId, run.rows);
    run.commit();
  }
}

function indexOf(indexDatabase: IndexDatabase, sessionId: string): SessionIndex {
  const known = indexes.get(indexDatabase) ?? new Map<string, SessionIndex>();
  indexes.set(indexDatabase, known);
  const index = known.get(sessionId);
  if (index && index.view.head === indexDatabase.applied(sessionId)) return index;
  const made = new SessionIndex(
    {
      log: { sessionId, blob: () => Promise.resolve(null) } as unknown as ReadableLog,
      limits: limitsOf("default"),
      record: (key) => indexDatabase.callRecord(sessionId, key),
    },
    initialFoldState,
  );
  known.set(sessionId, made);
  return made;
}
