import { test as property, fc } from "@fast-check/vitest";
import { emptyView, fold, type EventBody, type SessionEvent } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import { anyLog, cutAt } from "../../../protocol/test/any-log.ts";
import { logOf, says, thinks, toolUpdate, turnEnded } from "../../../protocol/test/events.ts";
import { Coalescer } from "./coalesce.ts";

const merge = (...bodies: readonly EventBody[]) =>
  new Coalescer().merge(logOf(...bodies)) as (SessionEvent & { from?: number })[];

const numbersOf = (events: readonly { seq: number; from?: number }[]) =>
  events.map(({ seq, from = seq }) => [from, seq]);

describe("text", () => {
  test("of one message is joined behind its first chunk", () => {
    const merged = merge(says("a"), says("b"), says("c"), says("d"));
    expect(numbersOf(merged)).toEqual([
      [1, 1],
      [2, 4],
    ]);
    expect(merged[1]).toMatchObject({ at: 4_000, update: { content: { text: "bcd" } } });
  });

  test("goes on across windows without a first chunk of its own", () => {
    const coalescer = new Coalescer();
    const log = logOf(says("a"), says("b"), says("c"), says("d"));
    coalescer.merge(log.slice(0, 1));
    expect(numbersOf(coalescer.merge(log.slice(1)))).toEqual([[2, 4]]);
  });

  test("of other messages, other voices and other threads stays apart", () => {
    const logs = [
      merge(says("a", "one"), says("b", "two"), says("c", "one")),
      merge(says("a"), thinks("b"), says("c")),
      merge(says("a", undefined, "x"), says("b", undefined, "y"), says("c", undefined, "x")),
      merge(says("a"), turnEnded("t"), says("c")),
      merge(says("a"), toolUpdate("t"), says("c")),
    ];
    for (const log of logs) expect(log).toHaveLength(3);
  });

  test("with annotations or metadata is left alone", () => {
    const annotated = says("a");
    Object.assign(annotated, { update: { ...Object(annotated).update, _meta: { a: 1 } } });
    expect(merge(annotated, annotated, annotated)).toHaveLength(3);
  });
});

describe("tool updates", () => {
  const content = (text: string) => ({
    content: [{ type: "content", content: { type: "text", text } }],
  });

  test("of one call are replaced by the latest, field by field", () => {
    const merged = merge(
      toolUpdate("t", { status: "pending" }),
      toolUpdate("t", { status: "in_progress" }),
      toolUpdate("t", content("a")),
      toolUpdate("t", content("ab")),
    );
    expect(numbersOf(merged)).toEqual([
      [1, 1],
      [2, 4],
    ]);
    expect(merged[1]).toMatchObject({ update: { status: "in_progress", ...content("ab") } });
  });

  test("of several calls that take turns are merged each on its own, in order", () => {
    const bodies = Array.from({ length: 20 }, (_, index) =>
      toolUpdate(index % 2 === 0 ? "a" : "b", content(`${index}`)),
    );
    expect(numbersOf(merge(...bodies))).toEqual([
      [1, 1],
      [2, 2],
      [3, 19],
      [4, 20],
    ]);
  });

  test("between which a subagent shows itself keep it", () => {
    const bodies = [
      toolUpdate("t", { title: "task", rawInput: { subagent_type: "general" } }),
      toolUpdate("t", { rawOutput: { metadata: { sessionId: "x" } } }),
      toolUpdate("t", { rawOutput: { output: "<task_metadata>\nsession_id: y\n" } }),
      toolUpdate("t", { rawOutput: { output: "done" } }),
      toolUpdate("t", { rawOutput: { output: "all done" } }),
    ];
    const view = fold(emptyView(), merge(...bodies));
    expect(view).toEqual(fold(emptyView(), logOf(...bodies)));
    expect(view.subagents).toMatchObject([{ sessionId: "x" }]);
  });

  test("that can't be read do not wipe out what could", () => {
    const bodies = [
      toolUpdate("t", { status: "pending" }),
      toolUpdate("t", { ...content("kept"), status: "completed" }),
      toolUpdate("t", { content: "nonsense", status: 7 }),
    ];
    const view = fold(emptyView(), merge(...bodies));
    expect(view).toEqual(fold(emptyView(), logOf(...bodies)));
    expect(view.items).toMatchObject([{ status: "completed", ...content("kept") }]);
  });

  test.each([
    ["said again", ["pending", "completed", "completed"], 2_000],
    ["spoken of later", ["pending", "failed", undefined], 2_000],
    ["taken back", ["completed", "in_progress", "completed"], 3_000],
  ])("leave the end of a call where it was when it is %s", (_how, statuses, endedAt) => {
    const bodies = statuses.map((status) =>
      toolUpdate("t", { ...content("x"), ...(status && { status }) }),
    );
    const view = fold(emptyView(), merge(...bodies));
    expect(view).toEqual(fold(emptyView(), logOf(...bodies)));
    expect(view.items).toMatchObject([{ endedAt }]);
  });

  test("that add up instead of replacing are left alone", () => {
    const delta = toolUpdate("t", {
      _meta: { terminal_output_delta: { terminal_id: "x", data: "a" } },
    });
    expect(merge(delta, delta, delta)).toHaveLength(3);
  });
});

property.prop([anyLog, fc.array(fc.nat(), { maxLength: 6 })], { numRuns: 1_000 })(
  "whatever the log and the windows, the view is the same and the numbers go up",
  (log, cuts) => {
    const coalescer = new Coalescer();
    const merged = cutAt(log, cuts).flatMap((window) => coalescer.merge(window));
    const numbers = merged.map(({ seq }) => seq);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(fold(emptyView(), merged)).toEqual(fold(emptyView(), log));
  },
);

const streamed = fc.array(
  fc.oneof(
    fc.constantFrom("a", "b").map((text) => says(text)),
    fc.constantFrom("a", "b").map((id) => says("x", id)),
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom("pending", "in_progress", "completed"))
      .map(([id, status]) => toolUpdate(id, { status, rawOutput: { output: status } })),
  ),
  { minLength: 1, maxLength: 60, size: "max" },
);

property.prop([streamed, fc.array(fc.nat(), { maxLength: 6 })])(
  "of a stream, each number is in one event or stands behind one",
  (bodies, cuts) => {
    const log = logOf(...bodies);
    const coalescer = new Coalescer();
    const merged = cutAt(log, cuts).flatMap((window) => coalescer.merge(window));
    expect(merged.at(-1)?.seq).toBe(log.length);
    expect(fold(emptyView(), merged)).toEqual(fold(emptyView(), log));
  },
);
