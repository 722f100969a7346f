import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLog, cutAt, deepFreeze } from "../../test/any-log.ts";
import {
  logOf,
  opened,
  queued,
  says,
  toolCall,
  toolUpdate,
  turn,
  turnEnded,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold, foldWithChanges } from "../fold.ts";
import { emptyView } from "../view/empty.ts";
import type { Item } from "../view/item.ts";
import type { Change } from "./change.ts";

const changesOf = (...bodies: readonly EventBody[]) =>
  foldWithChanges(emptyView(), logOf(...bodies)).changes;

const statuses = (changes: readonly Change[]) =>
  changes.flatMap((change) => {
    if (change.of !== "item" || change.item.type !== "tool-call") return [];
    const before = change.before?.type === "tool-call" ? change.before.status : null;
    return [[change.seq, change.child, before, change.item.status]];
  });

describe("the changes of a fold", () => {
  it("contain every state of a call, in the order of the events", () => {
    const changes = changesOf(
      toolCall("1"),
      toolUpdate("1", { status: "in_progress" }),
      toolCall("2", {}, "child"),
      toolUpdate("1", { status: "completed" }),
    );
    expect(statuses(changes)).toEqual([
      [1, null, null, "pending"],
      [2, null, "pending", "in_progress"],
      [3, "child", null, "pending"],
      [4, null, "in_progress", "completed"],
    ]);
  });

  it("contain the effects of the end of a turn on its calls", () => {
    const changes = changesOf(...turn(1, "go"), toolCall("1"), turnEnded("turn-1", "cancelled"));
    expect(changes).toContainEqual(
      expect.objectContaining({
        seq: 4,
        item: expect.objectContaining({ type: "tool-call", ended: "cancelled" }) as unknown,
      }),
    );
  });

  it("contain a message once, with its complete text", () => {
    const changes = changesOf(says("a"), says("b"), says("c"));
    expect(changes).toMatchObject([
      { of: "item", seq: 3, before: null, item: { content: [{ type: "text", text: "abc" }] } },
    ]);
  });

  it("contain the queued prompts, and changes of the title", () => {
    const gone: EventBody = { kind: "prompt-withdrawn", promptId: "p", by: "x" };
    const changes = changesOf(opened("Mine"), queued("p", "go"), gone, gone);
    expect(changes).toMatchObject([
      { of: "title", seq: 1 },
      { of: "prompt", seq: 2, prompt: { promptId: "p" } },
      { of: "prompt", seq: 3, promptId: "p", prompt: null },
    ]);
  });

  it("turn one view into the next, wherever the events are cut", () => {
    const itemsOf = (view: ReturnType<typeof emptyView>) =>
      new Map(
        [view, ...view.subagents].flatMap(({ items }) => items).map((item) => [item.key, item]),
      );
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(), { maxLength: 3 }), (log, cuts) => {
        let view = deepFreeze(emptyView());
        const known = new Map<string, Item>();
        for (const events of cutAt(log, cuts)) {
          const folded = foldWithChanges(view, events);
          expect(folded.view).toEqual(fold(view, events));
          for (const change of folded.changes) {
            if (change.of !== "item") continue;
            expect(change.before).toEqual(known.get(change.item.key) ?? null);
            known.set(change.item.key, change.item);
          }
          view = deepFreeze(folded.view);
          expect(known).toEqual(itemsOf(view));
        }
      }),
    );
  });
});
