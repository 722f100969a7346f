import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLog } from "../test/any-log.ts";
import {
  asks,
  logOf,
  opened,
  queued,
  says,
  settles,
  started,
  turn,
  turnEnded,
  update,
} from "../test/events.ts";
import type { EventBody } from "./events.ts";
import { fold } from "./fold.ts";
import { activeAfter } from "./activity.ts";
import { changesSummary, foldSummary, summaryOf, type SummaryParts } from "./summary.ts";
import { emptyView } from "./view/empty.ts";

const summary = (...bodies: readonly EventBody[]) =>
  summaryOf("s", fold(emptyView(), logOf(...bodies)));
const titled = (title: unknown) => update("session_info_update", { title });

describe("the summary of a session", () => {
  it("describes the session and its place", () => {
    expect(summary(opened("Mine"), queued("p", "Look at it"))).toEqual({
      sessionId: "s",
      agent: "scripted",
      cwd: "/repo",
      roots: ["/repo"],
      title: "Mine",
      firstPrompt: "Look at it",
      parent: null,
      hasFailed: false,
      state: "idle",
      openedAt: 1_000,
      closedAt: null,
      lastAt: 2_000,
      head: 2,
    });
  });

  it("has the agent's title until a person sets one, truncated if it is long", () => {
    expect(summary(opened(), titled("By agent"), titled(7)).title).toBe("By agent");
    expect(summary(opened(), titled("By agent"), titled(null)).title).toBeNull();
    expect(summary(opened("Mine"), titled("By agent")).title).toBe("Mine");
    const ofChild = update("session_info_update", { title: "Of a child" }, "child");
    expect(summary(opened(), ofChild).title).toBeNull();
    expect(summary(opened(), titled(`${"x".repeat(999)}👍`)).title).toBe("x".repeat(999));
    expect(summary(opened(), titled("a\u0000b\ud83d")).title).toBe("a b\uFFFD");
    const long = { $blob: "5f1d", bytes: 300_000 } as unknown as string;
    expect(summary(opened(), { kind: "session-changed", title: long, by: "x" }).title).toBeNull();
  });

  it("shows whether it works, waits for a person, or has failed", () => {
    const stalled: EventBody = { kind: "turn-changed", turnId: "turn-1", state: "stalled" };
    const running = [opened(), ...turn(1, "go")];
    const states = [
      running,
      [...running, stalled],
      [...running, stalled, asks("a", { toolCallId: "t" })],
      [...running, asks("a", { toolCallId: "t" }), settles("a", "yes")],
      [...running, turnEnded("turn-1")],
    ].map((bodies) => summary(...bodies).state);
    expect(states).toEqual(["running", "stalled", "needs-answer", "running", "idle"]);
    const failed = [...running, turnEnded("turn-1", "failed")];
    expect(summary(...failed).hasFailed).toBe(true);
    expect(summary(...failed, ...turn(2, "again")).hasFailed).toBe(false);
  });

  it("is closed until its agent is started again", () => {
    const closed: EventBody[] = [opened(), { kind: "session-closed", by: "x" }];
    expect(summary(...closed).closedAt).toBe(2_000);
    expect(summary(...closed, started()).closedAt).toBeNull();
  });

  it("turns and actions of people count as activity, messages of agents in between do not", () => {
    expect(summary(opened(), started(), says("hello")).lastAt).toBe(1_000);
    expect(summary(opened(), ...turn(1, "go"), says("hello")).lastAt).toBe(4_000);
    expect(summary(opened(), ...turn(1, "go"), turnEnded("turn-1"), says("late")).lastAt).toBe(
      4_000,
    );
  });

  it("is the same from its own events as from the whole view", () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        let parts: SummaryParts = emptyView();
        let view = emptyView();
        for (const event of events) {
          const sessionUpdate = event.kind === "update" ? event.update["sessionUpdate"] : undefined;
          parts = changesSummary(event.kind, sessionUpdate)
            ? foldSummary(parts, event)
            : { ...parts, activeAt: activeAfter(parts, event), head: event.seq };
          view = fold(view, [event]);
          expect(summaryOf("s", parts)).toEqual(summaryOf("s", view));
        }
      }),
    );
  });
});
