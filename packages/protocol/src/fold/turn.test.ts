import { describe, expect, it } from "vitest";
import { logOf, says, turn, turnEnded } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));

describe("a turn", () => {
  it("goes from running through stalled and cancelling to its end", () => {
    const log = logOf(
      ...turn(1, "go"),
      { kind: "turn-changed", turnId: "turn-1", state: "stalled" },
      { kind: "turn-changed", turnId: "turn-1", state: "cancelling", rung: "cancel", by: "phone" },
      { kind: "turn-changed", turnId: "turn-1", state: "cancelling", rung: "cancel-request" },
      turnEnded("turn-1", "cancelled"),
    );
    const states = log.map((_, index) => fold(emptyView(), log.slice(0, index + 1)).turn);
    expect(states.map(({ state, rung }) => [state, rung])).toEqual([
      ["idle", null],
      ["running", null],
      ["stalled", null],
      ["cancelling", "cancel"],
      ["cancelling", "cancel-request"],
      ["idle", null],
    ]);
    expect(states[3]?.changedBy).toBe("phone");
  });

  it("records its end at its prompt and as the last turn", () => {
    const view = viewOf(...turn(1, "go"), {
      kind: "turn-ended",
      turnId: "turn-1",
      stopReason: "end_turn",
      usage: { totalTokens: 7 },
    });
    const end = { at: 3_000, stopReason: "end_turn", error: null, usage: { totalTokens: 7 } };
    expect(view.items).toEqual([expect.objectContaining({ type: "prompt", end })]);
    expect(view.lastTurn).toEqual({
      ...end,
      turnId: "turn-1",
      promptId: "prompt-1",
      startedAt: 2_000,
    });
  });

  it("leaves a line in the thread unless it ended normally", () => {
    const error = { code: "agent-exited", message: "The agent ended." };
    const view = viewOf(...turn(1, "go"), says("hm"), {
      kind: "turn-ended",
      turnId: "turn-1",
      stopReason: "failed",
      error,
    });
    expect(view.items.at(-1)).toMatchObject({ type: "turn-ended", stopReason: "failed", error });
    expect(view.lastTurn?.error).toEqual(error);
  });

  it("is not changed by events of another turn", () => {
    const view = viewOf(...turn(1, "go"), {
      kind: "turn-changed",
      turnId: "turn-0",
      state: "stalled",
    });
    expect(view.turn.state).toBe("running");
  });

  it("adds a late chunk to its message", () => {
    const view = viewOf(...turn(1, "go"), says("do"), turnEnded("turn-1"), says("ne"));
    expect(view.items).toHaveLength(2);
    expect(view.items[1]).toMatchObject({ content: [{ type: "text", text: "done" }] });
  });
});
