import type { SessionSummary } from "@landline/protocol";
import { beforeEach, expect, test } from "vitest";
import { NewSessions } from "./new-sessions.ts";
import type { SessionQuery } from "../index/session-table.ts";
import type { Session } from "./sessions.ts";

function session(id: string, facts: Partial<SessionSummary> = {}): Session {
  return {
    id,
    summary: { sessionId: id, cwd: "/a", parent: null, lastAt: 0, ...facts },
  } as Session;
}

let known: Set<string>;
let sessions: NewSessions;
beforeEach(() => {
  known = new Set();
  sessions = new NewSessions({ session: (id) => (known.has(id) ? ({} as never) : null) });
});

const nothing = () => ({ sessions: [] });
const ids = (query: SessionQuery, read: () => { sessions: { sessionId: string }[] } = nothing) =>
  sessions.readPage(query, read).newOnes.map(({ sessionId }) => sessionId);

test("are listed, latest first, until the database contains them", () => {
  sessions.add(session("one", { lastAt: 1 }));
  sessions.add(session("two", { lastAt: 2, parent: "one" }));
  sessions.add(session("three", { lastAt: 3, cwd: "/b" }));
  expect(ids({})).toEqual(["three", "two", "one"]);
  expect(ids({ cwd: "/a" })).toEqual(["two", "one"]);
  expect(ids({ parent: "one" })).toEqual(["two"]);
  expect(ids({ cursor: "more" })).toEqual([]);
  known.add("two");
  sessions.remove("one");
  expect(ids({})).toEqual(["three"]);
  known.delete("two");
  expect(ids({})).toEqual(["three"]);
});

test("are listed once if the database receives them during a read", () => {
  sessions.add(session("one"));
  sessions.add(session("two"));
  const heard = (page: string[]) => () => {
    known.add("one").add("two");
    return { sessions: page.map((sessionId) => ({ sessionId })) };
  };
  // It had read further when it received the second.
  expect(ids({}, heard(["one"]))).toEqual(["two"]);
});

test("are removed if nobody lists them", () => {
  sessions.add(session("one"));
  known.add("one");
  sessions.add(session("two"));
  known.delete("one");
  expect(ids({})).toEqual(["two"]);
});
