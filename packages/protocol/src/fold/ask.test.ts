import { describe, expect, it } from "vitest";
import { asks, logOf, says, settles, toolCall } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));

describe("asks", () => {
  it("without a string id are ignored, because nobody could answer them", () => {
    const blob = { $blob: "5f1d", bytes: 300_000 } as unknown as string;
    const view = viewOf(asks(blob, { toolCallId: "t", title: "Write" }), settles(blob, "no"));
    expect(view).toMatchObject({ openAsks: [], items: [] });
  });

  it("are open in the thread, after the call that they are about", () => {
    const view = viewOf(asks("a", { toolCallId: "t", title: "Write" }), says("waiting"));
    expect(view.items.map((item) => item.key)).toEqual(["tool-call-1", "ask-1", "message-2"]);
    expect(view.items[1]).toMatchObject({ askId: "a", toolCallId: "t", settled: null });
    expect(view.openAsks).toEqual([{ askId: "a", item: "ask-1", subagent: null }]);
  });

  it("show where they happened, and how and by whom they were settled", () => {
    const view = viewOf(asks("a", { toolCallId: "t" }), says("on"), settles("a", "no"));
    expect(view.openAsks).toEqual([]);
    expect(view.items[1]).toMatchObject({
      first: 1,
      last: 3,
      settled: {
        at: 3_000,
        outcome: { outcome: "selected", optionId: "no" },
        by: { client: "phone" },
      },
    });
  });

  it("are settled once: a second answer and one without a request change nothing", () => {
    const log = logOf(
      asks("a", { toolCallId: "t" }),
      settles("a", "yes"),
      settles("a", "no"),
      settles("b", "no"),
    );
    const view = fold(emptyView(), log);
    expect(view.items).toEqual(fold(emptyView(), log.slice(0, 2)).items);
  });

  it("of a child session are shown in its thread and can be found from the session", () => {
    const view = viewOf(
      toolCall("t"),
      asks("a", { toolCallId: "t", title: "theirs" }, "child"),
      asks("b", { toolCallId: "t" }),
    );
    const [subagent] = view.subagents;
    expect(subagent?.items.map((item) => item.key)).toEqual(["tool-call-2", "ask-2"]);
    expect(view.openAsks).toEqual([
      { askId: "a", item: "ask-2", subagent: subagent?.key },
      { askId: "b", item: "ask-3", subagent: null },
    ]);
  });

  it("show why no rule allowed them, while they are open", () => {
    const explains = (reasons: unknown) =>
      ({ kind: "ask-explained", askId: "a", reasons }) as EventBody;
    const because = (...bodies: readonly EventBody[]) => {
      const [, item] = viewOf(asks("a", { toolCallId: "t" }), ...bodies).items;
      return item?.type === "ask" && item.ask === "permission" ? item.because : null;
    };
    expect(because()).toBeUndefined();
    expect(because(explains([".env may hold keys"]))).toEqual([".env may hold keys"]);
    expect(because(settles("a", "no"), explains(["late"]))).toBeUndefined();
    expect(because(explains("no list"))).toEqual([]);
    expect(because(explains([5, "x".repeat(2_000)]))).toEqual(["x".repeat(1_000)]);
    expect(because(explains(Array.from({ length: 50 }, () => "x")))).toHaveLength(20);
  });

  it("keep the note of a rejection, up to its limit", () => {
    const { noteLength } = limitsOf("default");
    const noteWhen = (note: unknown) => {
      const settled = { ...settles("a", "no"), note } as EventBody;
      const [, item] = viewOf(asks("a", { toolCallId: "c" }), settled).items;
      return item?.type === "ask" ? item.settled : null;
    };
    expect(noteWhen("Use make.")).toEqual({
      at: 2_000,
      outcome: { outcome: "selected", optionId: "no" },
      by: { client: "phone" },
      note: "Use make.",
    });
    expect(noteWhen("x".repeat(noteLength + 1))?.note).toHaveLength(noteLength);
    for (const nothing of [undefined, null, "", 5, {}, { $blob: "hash", bytes: 1 }])
      expect(noteWhen(nothing)).not.toHaveProperty("note");
  });

  it("may be questions", () => {
    const request = {
      sessionId: "s",
      mode: "url",
      message: "Sign in",
      elicitationId: "e",
      url: "https://example.com",
    } as const;
    const view = viewOf(
      { kind: "ask-opened", askId: "q", ask: "question", request },
      {
        kind: "ask-settled",
        askId: "q",
        outcome: { action: "decline" },
        by: { gateway: "turn-cancelled" },
      },
    );
    expect(view.items).toMatchObject([
      { ask: "question", request, settled: { outcome: { action: "decline" } } },
    ]);
  });
});
