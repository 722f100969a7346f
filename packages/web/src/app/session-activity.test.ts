import { emptyView, type SessionView } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import { sessionSummary } from "../../test/session-summary.ts";
import { announcementOf } from "./announcement.ts";
import { activityOfView, activityOfSummary } from "./session-activity.ts";

const empty = emptyView();

function view(change: {
  readonly turn?: SessionView["turn"]["state"];
  readonly agent?: SessionView["agent"]["state"];
  readonly stopReason?: "end_turn" | "failed";
  readonly closedBy?: string;
}): SessionView {
  const { turn = "idle", agent = "running", stopReason, closedBy = null } = change;
  return {
    ...empty,
    turn: { ...empty.turn, state: turn },
    agent: { ...empty.agent, state: agent },
    session: { ...empty.session, closedBy },
    lastTurn: stopReason
      ? { turnId: "t", promptId: null, startedAt: 1, at: 2, stopReason, error: null, usage: null }
      : null,
  };
}

describe("the activity of a session", () => {
  test.each([
    [{}, "idle"],
    [{ turn: "running" }, "working"],
    [{ turn: "running", agent: "none" }, "starting"],
    [{ turn: "running", agent: "exited" }, "starting"],
    [{ turn: "stalled" }, "stalled"],
    [{ turn: "cancelling" }, "cancelling"],
    [{ stopReason: "failed" }, "failed"],
    [{ stopReason: "end_turn" }, "idle"],
    [{ stopReason: "failed", turn: "running" }, "working"],
    [{ stopReason: "failed", closedBy: "me" }, "closed"],
  ] as const)("%j", (change, doing) => {
    expect(activityOfView(view(change))).toBe(doing);
  });

  test("a turn that waits for a free agent", () => {
    const running = view({ turn: "running", agent: "none" });
    const waiting = { running: 8, limit: 8 };
    expect(activityOfView({ ...running, agent: { ...running.agent, waiting } })).toBe("waiting");
  });

  test("an open request comes first", () => {
    const asking = {
      ...view({ turn: "stalled" }),
      openAsks: [{ askId: "a", item: "i", subagent: null }],
    };
    expect(activityOfView(asking)).toBe("asking");
  });

  test("from the list", () => {
    expect(activityOfSummary(sessionSummary("1", { state: "needs-answer" }))).toBe("asking");
    expect(activityOfSummary(sessionSummary("1", { state: "running", closedAt: 1 }))).toBe(
      "working",
    );
    expect(activityOfSummary(sessionSummary("1", { closedAt: 1 }))).toBe("closed");
    expect(activityOfSummary(sessionSummary("1", { hasFailed: true }))).toBe("failed");
    expect(activityOfSummary(sessionSummary("1", { hasFailed: true, state: "running" }))).toBe(
      "working",
    );
  });
});

describe("announcements", () => {
  test.each([
    ["idle", "starting", "Working"],
    ["starting", "thinking", null],
    ["thinking", "working", null],
    ["working", "asking", "Needs your answer"],
    ["asking", "working", "Working"],
    ["working", "idle", "Done"],
    ["working", "failed", "Failed"],
    [null, "working", null],
  ] as const)("%s → %s", (before, after, said) => {
    expect(announcementOf(before, after)).toBe(said);
  });
});
