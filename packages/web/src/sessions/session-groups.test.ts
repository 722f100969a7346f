import { describe, expect, test } from "vitest";
import { sessionSummary } from "../../test/session-summary.ts";
import { groupSessions, neighbour, shownSessions } from "./session-groups.ts";

const names = (sessions: readonly { readonly sessionId: string }[]) =>
  sessions.map(({ sessionId }) => sessionId);

describe("groups", () => {
  const sessions = [
    sessionSummary("newest", { cwd: "/b" }),
    sessionSummary("second", { cwd: "/a" }),
    sessionSummary("third", { cwd: "/b" }),
    sessionSummary("over", { cwd: "/c", closedAt: 5 }),
    sessionSummary("over but at work", { cwd: "/c", closedAt: 5, state: "running" }),
  ];

  test("the folder with the latest event is first, and its sessions keep their order", () => {
    const { groups } = groupSessions(sessions, "");
    expect(groups.map(({ folder, sessions: members }) => [folder, names(members)])).toEqual([
      ["/b", ["newest", "third"]],
      ["/a", ["second"]],
      ["/c", ["over but at work"]],
    ]);
  });

  test("closed sessions are separate, unless they are active", () => {
    expect(names(groupSessions(sessions, "").closed)).toEqual(["over"]);
  });

  test("each word must be in the title or the folder", () => {
    const found = (text: string) => names(shownSessions(groupSessions(sessions, text)));
    expect(found("NEW")).toEqual(["newest"]);
    expect(found(" /b t ")).toEqual(["newest", "third"]);
    expect(found("nothing like it")).toEqual([]);
  });

  test("a session without a title is found by the text shown instead", () => {
    const { groups } = groupSessions([sessionSummary("1", { title: null })], "new conv");
    expect(groups).toHaveLength(1);
  });
});

describe("neighbours", () => {
  const sessions = [sessionSummary("1"), sessionSummary("2"), sessionSummary("3")];

  test.each([
    ["1", 1, "2"],
    ["3", 1, "1"],
    ["1", -1, "3"],
    [null, 1, "1"],
    [null, -1, "3"],
    ["gone", 1, "1"],
  ] as const)("from %s by %i", (from, step, expected) => {
    expect(neighbour(sessions, from, step)?.sessionId).toBe(expected);
  });

  test("without a neighbour", () => {
    expect(neighbour([], "1", 1)).toBeNull();
  });
});
