import { describe, expect, it } from "vitest";
import { logOf, queued, turnStarted } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));

describe("the queue", () => {
  it("keeps prompts in order until their turn starts", () => {
    const view = viewOf(queued("a", "one"), queued("b", "two"), turnStarted("t", "a"));
    expect(view.queue.map((prompt) => prompt.promptId)).toEqual(["b"]);
    expect(view.items).toMatchObject([
      { type: "prompt", promptId: "a", turnId: "t", by: "laptop", end: null, first: 3 },
    ]);
  });

  it("accepts a repeated id once, queued or sent", () => {
    const log = [queued("a", "one"), queued("a", "one"), turnStarted("t", "a"), queued("a", "one")];
    expect(viewOf(...log.slice(0, 2)).queue).toHaveLength(1);
    expect(viewOf(...log).queue).toEqual([]);
  });

  it("changes and withdraws queued prompts", () => {
    const view = viewOf(
      queued("a", "one"),
      queued("b", "two"),
      { kind: "prompt-withdrawn", promptId: "a", by: "phone" },
      {
        kind: "prompt-changed",
        promptId: "b",
        content: [{ type: "text", text: "three" }],
        by: "phone",
      },
    );
    expect(view.queue).toMatchObject([
      {
        promptId: "b",
        content: [{ type: "text", text: "three" }],
        by: "laptop",
        first: 2,
        last: 4,
      },
    ]);
  });

  it("moves prompts", () => {
    const waiting = [queued("a", "one"), queued("b", "two"), queued("c", "three")];
    const moved = (promptId: string, before: string | null) =>
      viewOf(...waiting, { kind: "prompt-moved", promptId, before, by: "phone" }).queue;
    const order = (promptId: string, before: string | null) =>
      moved(promptId, before)
        .map((prompt) => prompt.promptId)
        .join("");
    expect(order("c", "a")).toBe("cab");
    expect(order("a", "c")).toBe("bac");
    expect(order("a", null)).toBe("bca");
    expect(order("c", null)).toBe("abc");
    expect(order("b", "b")).toBe("abc");
    expect(order("b", "missing")).toBe("abc");
    expect(order("missing", "a")).toBe("abc");
    expect(moved("c", "a")[0]).toMatchObject({ promptId: "c", by: "laptop", first: 3, last: 4 });
  });

  it("ignores unknown prompts", () => {
    const view = viewOf(
      { kind: "prompt-withdrawn", promptId: "a", by: "phone" },
      { kind: "prompt-changed", promptId: "a", content: [], by: "phone" },
      turnStarted("t", "a"),
    );
    expect(view.items).toMatchObject([{ type: "prompt", promptId: "a", content: [], by: null }]);
  });
});
