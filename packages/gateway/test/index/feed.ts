import { limitsOf } from "@landline/protocol";
import type { AnyEvent } from "../../src/index/any-event.ts";
import type { Derived } from "../../src/index/derived.ts";
import { noFolding } from "../../src/index/folds.ts";
import { SessionIndex } from "../../src/index/session-index.ts";
import type { ReadableLog } from "../../src/log/log.ts";

const indexes = new WeakMap<Derived, Map<string, SessionIndex>>();

/** Applies events as an indexer does, to a session whose fold this process has; long texts are not there. */
export async function feed(
  derived: Derived,
  sessionId: string,
  events: readonly AnyEvent[],
): Promise<void> {
  const run = await indexOf(derived, sessionId).read(events);
  if (run.rows.summary.head === run.rows.after) return;
  derived.apply(sessionId, run.rows);
  run.commit();
}

/** Makes messages findable that are still being written. */
export async function finishMessages(derived: Derived): Promise<void> {
  for (const [sessionId, index] of indexes.get(derived) ?? []) {
    const run = await index.readUnfinished();
    if (run === null) continue;
    derived.apply(sessionId, run.rows);
    run.commit();
  }
}

function indexOf(derived: Derived, sessionId: string): SessionIndex {
  const known = indexes.get(derived) ?? new Map<string, SessionIndex>();
  indexes.set(derived, known);
  const index = known.get(sessionId);
  if (index && index.view.head === derived.applied(sessionId)) return index;
  const made = new SessionIndex(
    {
      log: { sessionId, blob: () => Promise.resolve(null) } as unknown as ReadableLog,
      limits: limitsOf("default"),
      record: (key) => derived.callRecord(sessionId, key),
    },
    noFolding,
  );
  known.set(sessionId, made);
  return made;
}
