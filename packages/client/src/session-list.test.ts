import type { SessionSummary } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import type { SessionsPage } from "./api.ts";
import type { HttpApi } from "./http-api.ts";
import { LoadedSessions } from "./session-list.ts";
import { defaultTiming } from "./timing.ts";

const summary = (sessionId: string, title: string) =>
  ({ sessionId, title, lastAt: 1, head: 1 }) as unknown as SessionSummary;

/** Answers when the test says so. */
function heldApi() {
  const asked: ((page: SessionsPage) => void)[] = [];
  const api = { sessions: () => new Promise<SessionsPage>((resolve) => asked.push(resolve)) };
  return { api: api as unknown as HttpApi, asked };
}

describe("the list of sessions", () => {
  it("is read again for who asks while it is read: what is read may be older than the asking", async () => {
    const { api, asked } = heldApi();
    const list = new LoadedSessions(api, defaultTiming);
    const readings = [list.refresh(), list.refresh(), list.refresh()];
    asked[0]?.({ sessions: [summary("a", "before the break")], nextCursor: null });
    await readings[0];
    await new Promise((resolve) => setTimeout(resolve, 0));
    asked[1]?.({ sessions: [summary("a", "after it")], nextCursor: null });
    await Promise.all(readings);
    expect(list.getSnapshot().sessions).toMatchObject([{ title: "after it" }]);
    expect(asked).toHaveLength(2);
  });

  it("does not bring back what was deleted while more was read", async () => {
    const { api, asked } = heldApi();
    const list = new LoadedSessions(api, { ...defaultTiming, pageSessions: 1 });
    const first = list.refresh();
    asked[0]?.({ sessions: [summary("a", "first")], nextCursor: "more" });
    await first;
    const more = list.loadMore();
    await new Promise((resolve) => setTimeout(resolve, 0));
    list.hear([], ["b"]);
    asked[1]?.({ sessions: [summary("b", "gone"), summary("c", "there")], nextCursor: null });
    await more;
    const ids = list.getSnapshot().sessions.map(({ sessionId }) => sessionId);
    expect(ids.toSorted()).toEqual(["a", "c"]);
  });
});
