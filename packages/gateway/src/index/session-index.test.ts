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
  type Thread,
} from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feed, finishMessages } from "../../test/index/feed.ts";
import type { AuditEntry, AuditKind } from "./audit-table.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import type { PassageKind } from "./passage-table.ts";
import { anyEvents, numbered, toolCall } from "../../test/index/sample-events.ts";
import { cleanText, withSeams } from "./clean-text.ts";

let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All rows of all tables, without generated ids, after indexing. */
async function rowsAfter(apply: (indexDatabase: IndexDatabase) => Promise<void>) {
  const path = join(folder, `${count++}.sqlite`);
  using indexDatabase = openIndexDatabase(path);
  await apply(indexDatabase);
  await finishMessages(indexDatabase);
  indexDatabase.close();
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

/** The call items, the agent's messages and the prompts of a view, in all its threads. */
function shownIn(view: SessionView) {
  const items = [view, ...view.subagents].flatMap((thread) => thread.items);
  const callsIn = (child: string | null, thread: Thread) =>
    thread.items
      .filter((item) => item.type === "tool-call")
      .map((call) => ({ call, child: child === null ? null : cleanText(child) }));
  return {
    calls: [
      ...callsIn(null, view),
      ...view.subagents.flatMap((subagent) => callsIn(subagent.sessionId, subagent)),
    ],
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
const byFirst = (some: readonly unknown[], other: readonly unknown[]) =>
  Number(some[0]) - Number(other[0]);
const isNotBlank = (text: string) => text.trim() !== "";

/** The events in runs of the given lengths, repeatedly. */
function* runs(events: readonly SessionEvent[], lengths: readonly number[]) {
  let from = 0;
  for (let index = 0; from < events.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    yield events.slice(from, from + length);
    from += length;
  }
}

const runLengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

const services: Readonly<Record<string, AuditKind>> = {
  "file-written": "file-written",
  "terminal-opened": "command-started",
  "terminal-exited": "command-ended",
};

/** The audit has each call with its end and names, each decision, and what the gateway did, and nothing else. */
function expectAudit(
  entries: readonly AuditEntry[],
  view: SessionView,
  events: readonly SessionEvent[],
): void {
  const { calls, requests } = shownIn(view);
  const idsOf = (...what: AuditKind[]) =>
    entries
      .filter((entry) => what.includes(entry.what))
      .map(({ seq, detail }) => [seq, detail["toolCallId"], detail["child"] ?? null])
      .toSorted(byFirst);
  expect(idsOf("tool-started")).toEqual(
    calls
      .map(({ call, child }) => [call.first, cleanText(call.toolCallId), child])
      .toSorted(byFirst),
  );
  for (const { call, child } of calls.filter((each) => !isOpenToolCall(each.call))) {
    const id = cleanText(call.toolCallId);
    const isNext = ({ call: other, child: of }: (typeof calls)[number]) =>
      of === child && other.first > call.first && cleanText(other.toolCallId) === id;
    const until = Math.min(Infinity, ...calls.filter(isNext).map((next) => next.call.first));
    const own = entries.filter(
      ({ seq, detail }) =>
        seq >= call.first &&
        // A message that starts the next one ends this one, if it was open.
        (seq < until || (seq === until && detail["status"] === (call.ended ?? ""))) &&
        detail["toolCallId"] === id &&
        (detail["child"] ?? null) === child,
    );
    const ends = own.filter(({ what }) => what === "tool-ended");
    expect(ends.at(-1)?.detail["status"]).toBe(call.ended ?? cleanText(call.status));
    const { command } = (call.rawInput ?? {}) as { command?: string };
    const commands = own.flatMap(
      ({ detail }) => (detail["commands"] as string[] | undefined) ?? [],
    );
    expect(commands).toEqual(expect.arrayContaining(command === undefined ? [] : [command]));
  }
  const decided = entries.filter(({ what }) => decisions.has(what));
  expect(decided.map(({ seq, detail }) => [seq, detail["askId"]]).toSorted(byFirst)).toEqual(
    requests
      .filter((request) => request.settled !== null)
      .map(({ last, askId }) => [last, askId])
      .toSorted(byFirst),
  );
  const done = entries.filter(({ what }) => !what.startsWith("tool-") && !decisions.has(what));
  expect(done.map(({ seq, what }) => [seq, what])).toEqual(
    events.flatMap(({ seq, kind }) =>
      services[kind] === undefined ? [] : [[seq, services[kind]]],
    ),
  );
}

const decisions: ReadonlySet<AuditKind> = new Set(["permission-decided", "question-answered"]);

/** The search has what is displayed now. */
function expectSearch(passages: readonly Record<string, unknown>[], view: SessionView): void {
  const { calls, messages, prompts } = shownIn(view);
  const found = (kind: PassageKind) =>
    passages
      .filter((row) => row["kind"] === kind)
      .map((row) => [Number(row["seq"]), String(row["text"])] as const);
  const said = messages.map(({ first, content }) => [first, kept(textIn(content))] as const);
  expect(new Map(found("message"))).toEqual(new Map(said.filter(([, text]) => isNotBlank(text))));
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
  const texts = new Map(found("tool-call"));
  for (const { call } of calls) {
    const { command = "" } = (call.rawInput ?? {}) as { command?: string };
    const words = [call.title, command].map((text) => kept(text).trim()).filter(isNotBlank);
    for (const word of words) expect(texts.get(call.first)).toContain(word);
  }
  const title = summaryOf("s", view).title ?? "";
  expect(found("title").map(([, text]) => text)).toEqual([kept(title)].filter(isNotBlank));
}

describe("the index", () => {
  it("agrees with the view of the log: list, summary, audit and search", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, runLengths, async (events, lengths) => {
        const view = fold(emptyView(), events);
        const summary = summaryOf("s", view);
        let sessions: readonly SessionSummary[] = [];
        let found: readonly SessionSummary[] = [];
        let entries: readonly AuditEntry[] = [];
        const { passages } = await rowsAfter(async (indexDatabase) => {
          for (const run of runs(events, lengths)) await feed(indexDatabase, "s", run);
          ({ sessions } = indexDatabase.listSessions());
          const { cwd, parent } = summary;
          ({ sessions: found } = indexDatabase.listSessions(
            parent === null ? { cwd } : { cwd, parent },
          ));
          ({ entries } = indexDatabase.audit());
        });
        expect(sessions).toEqual(events.length === 0 ? [] : [summary]);
        expect(found).toEqual(sessions);
        expectAudit(entries, view, events);
        expectSearch(passages, view);
      }),
      { numRuns: 60 },
    );
  });

  it("handles a repeated, different end of a call", async () => {
    const ends = ["failed", "completed", "completed"].map((status) =>
      toolCall("1", { status, title: "Look" }),
    );
    using indexDatabase = openIndexDatabase(join(folder, `${count++}.sqlite`));
    await feed(indexDatabase, "s", numbered(ends));
    expect(
      indexDatabase.audit().entries.map(({ what, detail }) => [what, detail["status"]]),
    ).toEqual([
      ["tool-started", undefined],
      ["tool-ended", "failed"],
      ["tool-ended", "completed"],
    ]);
  });

  it("depends only on the events, not on how runs were cut, repeated or flushed", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, anyEvents, runLengths, async (first, second, lengths) => {
        const whole = await rowsAfter(async (indexDatabase) => {
          await feed(indexDatabase, "a", first);
          await feed(indexDatabase, "b", second);
        });
        const inRuns = await rowsAfter(async (indexDatabase) => {
          for (const run of runs(first, lengths)) {
            await feed(indexDatabase, "a", run);
            if (run.length % 2 === 0) await finishMessages(indexDatabase);
            if (run.length % 3 === 0) await feed(indexDatabase, "a", first.slice(0, run.length));
          }
          for (const run of runs(second, lengths.toReversed())) await feed(indexDatabase, "b", run);
        });
        expect(inRuns).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});
