import { describe, expect, test } from "vitest";
import type { StepPart, StepRequest } from "../../src/model/stream.ts";
import { calls, faults, SessionFixture, says, tool, until } from "./session-fixture.ts";

describe("cancelling", () => {
  const stalled =
    (...parts: StepPart[]) =>
    (request: StepRequest) =>
      until(parts, request);
  const text: StepPart = { type: "text-delta", partId: "0", delta: "Half a sen" };

  test.each([
    ["before the first byte", stalled()],
    ["in the middle of a text", stalled(text)],
    ["in the middle of a thought", stalled({ type: "thought-delta", partId: "0", delta: "Hm" })],
    [
      "in the middle of a call's input",
      stalled(text, { type: "tool-input-start", callId: "c", tool: "echo" }),
    ],
  ])("%s ends the turn as cancelled, with a valid history", async (_when, reply) => {
    const fixture = new SessionFixture({ replies: [reply, says("Again.")] });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => fixture.requests).toHaveLength(1);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.records.at(-1)).toMatchObject({ kind: "turn-ended", stopReason: "cancelled" });
    const announced = fixture.events.filter((event) => event.kind === "tool-announced");
    expect(fixture.events.filter((event) => event.kind === "tool-withdrawn")).toHaveLength(
      announced.length,
    );
    expect((await fixture.prompt("Go on")).stopReason).toBe("end_turn");
    expect(faults(fixture)).toEqual([]);
  });

  test("during a permission request ends the call and the turn", async () => {
    const guarded = tool("guarded", async (_input, context) => {
      await context.ask({ permission: "bash", patterns: ["x"], always: [] });
      return { output: "ran" };
    });
    const fixture = new SessionFixture({
      replies: [calls({ tool: "guarded", input: {} })],
      tools: [guarded],
      config: { rules: { user: [], project: [] } },
    });
    fixture.decide = (_question, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ answer: "reject" }), { once: true }),
      );
    const outcome = fixture.prompt("Go");
    await expect.poll(() => fixture.questions).toHaveLength(1);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.ended()).toMatchObject([{ status: "failed", reason: "cancelled" }]);
    expect(faults(fixture)).toEqual([]);
  });

  test("stops tools, and abandons those that do not stop", async () => {
    const obedient = tool(
      "obedient",
      (_input, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
        ),
    );
    const deaf = tool("deaf", () => new Promise(() => undefined));
    const fixture = new SessionFixture({
      replies: [calls({ tool: "obedient", input: {} }, { tool: "deaf", input: {} })],
      tools: [obedient, deaf],
    });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => fixture.kinds()).toContain("step-ended");
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.ended().map((record) => record.reason)).toEqual(["cancelled", "cancelled"]);
    expect(faults(fixture)).toEqual([]);
  });

  test("empties the queue, and answers every queued prompt", async () => {
    const fixture = new SessionFixture({ replies: [stalled(text), says("After.")] });
    const outcomes = [fixture.prompt("One"), fixture.prompt("Two"), fixture.prompt("Three")];
    await expect.poll(() => fixture.requests).toHaveLength(1);
    fixture.session.cancel();
    expect((await Promise.all(outcomes)).map((outcome) => outcome.stopReason)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    expect((await fixture.prompt("Four")).stopReason).toBe("end_turn");
    expect(fixture.requests).toHaveLength(2);
  });

  test("of one request does not affect the others", async () => {
    const fixture = new SessionFixture({ replies: [stalled(text), says("Three.")] });
    const [one, two] = [new AbortController(), new AbortController()];
    const outcomes = [
      fixture.prompt("One", one.signal),
      fixture.prompt("Two", two.signal),
      fixture.prompt("Three"),
    ];
    await expect.poll(() => fixture.requests).toHaveLength(1);
    two.abort();
    one.abort();
    expect((await Promise.all(outcomes)).map((outcome) => outcome.stopReason)).toEqual([
      "cancelled",
      "cancelled",
      "end_turn",
    ]);
  });

  test("when nothing runs does nothing", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    fixture.session.cancel();
    expect((await fixture.prompt("Hi")).stopReason).toBe("end_turn");
  });
});
