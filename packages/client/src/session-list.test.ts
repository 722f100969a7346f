import type { SessionSummary } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import type { Answer, Api } from "./api.ts";
import { LoadedSessions } from "./session-list.ts";
import { defaultTiming } from "./timing.ts";

const summary = (sessionId: string, title: string) =>
  ({ sessionId, title, lastAt: 1, head: 1 }) as unknown as SessionSummary;

type Page = Answer<"list-sessions">;

/** Answers when the test says so; `answer` waits until that many requests were made. */
function heldApi() {
  const asked: ((page: Page) => void)[] = [];
  let arrived = Promise.withResolvers<void>();
  const listSessions = () =>
    new Promise<Page>((resolve) => {
      asked.push(resolve);
      arrived.resolve();
      arrived = Promise.withResolvers();
    });
  const answer = async (question: number, page: Page) => {
    while (asked.length <= question) await arrived.promise;
    asked[question]?.(page);
  };
  return { api: { listSessions } as unknown as Api, asked, answer };
}

describe("the list of sessions", () => {
  it("is read again when requested during a read, which may be out of date", async () => {
    const { api, asked, answer } = heldApi();
    const list = new LoadedSessions(api, defaultTiming);
    const readings = [list.refresh(), list.refresh(), list.refresh()];
    await answer(0, { sessions: [summary("a", "before the break")], nextCursor: null });
    await readings[0];
    await answer(1, { sessions: [summary("a", "after it")], nextCursor: null });
    await Promise.all(readings);
    expect(list.getSnapshot().sessions).toMatchObject([{ title: "after it" }]);
    expect(asked).toHaveLength(2);
  });

  it("does not restore sessions that were deleted during a read", async () => {
    const { api, asked, answer } = heldApi();
    const list = new LoadedSessions(api, { ...defaultTiming, pageSessions: 1 });
    const first = list.refresh();
    await answer(0, { sessions: [summary("a", "first")], nextCursor: "more" });
    await first;
    const more = list.loadMore();
    await expect.poll(() => asked).toHaveLength(2);
    list.hear([], ["b"]);
    await answer(1, { sessions: [summary("b", "gone"), summary("c", "there")], nextCursor: null });
    await more;
    const ids = list.getSnapshot().sessions.map(({ sessionId }) => sessionId);
    expect(ids.toSorted()).toEqual(["a", "c"]);
  });
});
