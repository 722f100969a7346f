import type { SessionSummary } from "@landline/protocol";
import { expect, test } from "vitest";
import { NewSessions } from "./new-sessions.ts";
import type { Session } from "./sessions.ts";

function session(id: string, facts: Partial<SessionSummary> = {}): Session {
  return {
    id,
    summary: { sessionId: id, cwd: "/a", parent: null, lastAt: 0, ...facts },
  } as Session;
}

test("are listed, the latest first, until the database knows them", () => {
  const known = new Set<string>();
  const sessions = new NewSessions({
    session: (id) => (known.has(id) ? ({} as never) : null),
  });
  sessions.add(session("one", { lastAt: 1 }));
  sessions.add(session("two", { lastAt: 2, parent: "one" }));
  sessions.add(session("three", { lastAt: 3, cwd: "/b" }));
  const ids = (query: { cwd?: string; parent?: string }) =>
    sessions.list(query).map(({ sessionId }) => sessionId);
  expect(ids({})).toEqual(["three", "two", "one"]);
  expect(ids({ cwd: "/a" })).toEqual(["two", "one"]);
  expect(ids({ parent: "one" })).toEqual(["two"]);
  known.add("two");
  sessions.remove("one");
  expect(ids({})).toEqual(["three"]);
  known.delete("two");
  expect(ids({})).toEqual(["three"]);
});
