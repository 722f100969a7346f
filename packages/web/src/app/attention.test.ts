import { describe, expect, test } from "vitest";
import { sessionSummary } from "../../test/session-summary.ts";
import { newAttention, statesOf } from "./attention.ts";

type State = Parameters<typeof statesOf>[0][number]["state"];

function news(before: State | null, after: State, closedAt: number | null = null) {
  const known = statesOf(before === null ? [] : [sessionSummary("1", { state: before })]);
  return newAttention(known, [sessionSummary("1", { title: "T", state: after, closedAt })]);
}

describe("changes that a person is notified of", () => {
  test.each([
    ["running", "needs-answer", "asks"],
    ["idle", "needs-answer", "asks"],
    ["running", "stalled", "stalled"],
    ["running", "idle", "ended"],
    ["stalled", "idle", "ended"],
    ["needs-answer", "idle", "ended"],
  ] as const)("%s → %s", (before, after, what) => {
    expect(news(before, after)).toEqual([{ sessionId: "1", title: "T", what }]);
  });
});

describe("changes without a notification", () => {
  test.each([
    ["idle", "idle"],
    ["needs-answer", "needs-answer"],
    ["needs-answer", "running"],
    ["stalled", "running"],
    ["idle", "running"],
  ] as const)("%s → %s", (before, after) => {
    expect(news(before, after)).toEqual([]);
  });

  test("an older session that is loaded into the list", () => {
    expect(news(null, "idle")).toEqual([]);
    expect(news(null, "running")).toEqual([]);
  });

  test("a session that a person closed", () => {
    expect(news("running", "idle", 5)).toEqual([]);
  });
});

test("a failed turn is reported as failed", () => {
  const known = statesOf([sessionSummary("1", { state: "running" })]);
  const [failed] = newAttention(known, [sessionSummary("1", { hasFailed: true })]);
  expect(failed?.what).toBe("failed");
});

test("a new session with an open request is reported", () => {
  expect(news(null, "needs-answer")).toHaveLength(1);
});
