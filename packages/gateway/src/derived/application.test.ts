import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import type { SessionEvent } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDerived } from "./derived.ts";
import { anyEvents } from "./sample-events.ts";

let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All rows of all tables, without the numbers that SQLite gave them, after a feeding. */
function rowsAfter(feed: (derived: ReturnType<typeof openDerived>) => void): unknown {
  const path = join(folder, `${count++}.sqlite`);
  using derived = openDerived(path);
  feed(derived);
  derived.indexDrafts();
  derived.close();
  const database = new DatabaseSync(path);
  const rows = (query: string) => database.prepare(query).all();
  const dump = {
    sessions: rows("SELECT * FROM sessions ORDER BY id"),
    asks: rows("SELECT * FROM asks ORDER BY session_id, ask_id"),
    toolCalls: rows("SELECT * FROM tool_calls ORDER BY session_id, thread, tool_call_id"),
    terminals: rows("SELECT * FROM terminals ORDER BY session_id, terminal_id"),
    drafts: rows("SELECT * FROM drafts ORDER BY session_id, thread"),
    passages: rows(
      "SELECT session_id, key, kind, seq, at, text FROM passages ORDER BY session_id, key",
    ),
    audit: rows("SELECT * FROM audit ORDER BY session_id, seq, part"),
  };
  database.exec("INSERT INTO passage_index (passage_index, rank) VALUES ('integrity-check', 1)");
  database.close();
  rmSync(path);
  return dump;
}

/** The events in runs of the given lengths, one after the other and over again. */
function* runs(events: readonly SessionEvent[], lengths: readonly number[]) {
  let from = 0;
  for (let index = 0; from < events.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    yield events.slice(from, from + length);
    from += length;
  }
}

describe("what is derived", () => {
  it("depends on the events alone, not on where the runs were cut, repeated or made findable", () => {
    fc.assert(
      fc.property(
        anyEvents,
        anyEvents,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        (first, second, lengths) => {
          const whole = rowsAfter((derived) => {
            derived.apply("a", first);
            derived.apply("b", second);
          });
          const inRuns = rowsAfter((derived) => {
            for (const run of runs(first, lengths)) {
              derived.apply("a", run);
              if (run.length % 2 === 0) derived.indexDrafts();
              if (run.length % 3 === 0) derived.apply("a", first.slice(0, run.length));
            }
            for (const run of runs(second, lengths.toReversed())) derived.apply("b", run);
          });
          expect(inRuns).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });
});
