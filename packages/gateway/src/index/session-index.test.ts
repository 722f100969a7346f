import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import {
  emptyView,
  fold,
  isOpenToolCall,
  summaryOf,
  type Block,
  type SessionEvent,
  type SessionSummary,
  type SessionView,
} from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feed, finishMessages } from "../../test/index/feed.ts";
import type { AuditEntry, AuditKind } from "./audit-table.ts";
import { openDerived, type Derived } from "./derived.ts";
import type { PassageKind } from "./passage-table.ts";
import { anyEvents } from "../../test/index/sample-events.ts";
import { cleanText, withSeams } from "./text.ts";

let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All rows of all tables, without the numbers that SQLite gave them, after a feeding. */
async function rowsAfter(apply: (derived: Derived) => Promise<void>) {
  const path = join(folder, `${count++}.sqlite`);
  using derived = openDerived(path);
  await apply(derived);
  await finishMessages(derived);
  derived.close();
  const database = new DatabaseSync(path);
  const rows = (query: string) => database.prepare(query).all();
  const dump = {
    sessions: rows("SELECT * FROM sessions ORDER BY id"),
    calls: rows("SELECT * FROM calls ORDER BY session_id, key"),
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

/** The call items, the agent's messages and the prompts of a view, in all of its threads. */
function shownIn(view: SessionView) {
  const items = [view, ...view.subagents].flatMap((thread) => thread.items);
  return {
    calls: items.filter((item) => item.type === "tool-call"),
    requests: items.filter((item) => item.type === "ask"),
    messages: items
      .filter((item) => item.type === "message")
      .filter(({ role }) => role === "agent"),
    prompts: [...view.queue, ...items.filter((item) => item.type === "prompt")],
  };
}

const textIn = (content: readonly Block[]) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");
const kept = (text: string) => withSeams(cleanText(text));
const byNumber = (some: number, other: number) => some - other;
const isNotBlank = (text: string) => text.trim() !== "";

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
  it("is what the view of the log shows: list, summary, audit and search", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const view = fold(emptyView(), events);
        const { calls, requests, messages, prompts } = shownIn(view);
        let sessions: readonly SessionSummary[] = [];
        let entries: readonly AuditEntry[] = [];
        const { passages } = await rowsAfter(async (derived) => {
          await feed(derived, "s", events);
          ({ sessions } = derived.listSessions());
          ({ entries } = derived.audit());
        });
        expect(sessions).toEqual(events.length === 0 ? [] : [summaryOf("s", view)]);

        const numbersOf = (...what: AuditKind[]) =>
          entries.filter((entry) => what.includes(entry.what)).map(({ seq }) => seq);
        expect(numbersOf("tool-started")).toEqual(
          calls.map(({ first }) => first).toSorted(byNumber),
        );
        for (const call of calls.filter((each) => !isOpenToolCall(each))) {
          const ends = entries.filter(
            ({ what, seq, detail }) =>
              what === "tool-ended" &&
              seq >= call.first &&
              detail["toolCallId"] === cleanText(call.toolCallId),
          );
          expect(ends.map(({ detail }) => detail["status"])).toContain(
            call.ended ?? cleanText(call.status),
          );
        }
        const settled = requests.filter((request) => request.settled !== null);
        expect(numbersOf("permission-decided", "question-answered")).toHaveLength(settled.length);

        const found = (kind: PassageKind) =>
          passages
            .filter((row) => row["kind"] === kind)
            .map((row) => [Number(row["seq"]), String(row["text"])] as const);
        const said = messages.map(({ first, content }) => [first, kept(textIn(content))] as const);
        expect(new Map(found("message"))).toEqual(
          new Map(said.filter(([, text]) => isNotBlank(text))),
        );
        expect(
          found("prompt")
            .map(([, text]) => text)
            .toSorted(),
        ).toEqual(
          prompts
            .map(({ content }) => kept(textIn(content)))
            .filter(isNotBlank)
            .toSorted(),
        );
        expect(found("tool-call").map(([seq]) => seq)).toEqual(
          expect.arrayContaining(
            calls.filter(({ title }) => isNotBlank(title)).map(({ first }) => first),
          ),
        );
        const title = summaryOf("s", view).title ?? "";
        expect(found("title").map(([, text]) => text)).toEqual([kept(title)].filter(isNotBlank));
      }),
      { numRuns: 60 },
    );
  });

  it("depends on the events alone, not on where the runs were cut, repeated or made findable", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvents,
        anyEvents,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        async (first, second, lengths) => {
          const whole = await rowsAfter(async (derived) => {
            await feed(derived, "a", first);
            await feed(derived, "b", second);
          });
          const inRuns = await rowsAfter(async (derived) => {
            for (const run of runs(first, lengths)) {
              await feed(derived, "a", run);
              if (run.length % 2 === 0) await finishMessages(derived);
              if (run.length % 3 === 0) await feed(derived, "a", first.slice(0, run.length));
            }
            for (const run of runs(second, lengths.toReversed())) await feed(derived, "b", run);
          });
          expect(inRuns).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });
});
