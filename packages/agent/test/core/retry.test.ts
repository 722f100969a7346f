import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loopLimits } from "../../src/limits.ts";
import { ModelProblem } from "../../src/model/model.ts";
import type { StepPart } from "../../src/model/stream.ts";
import { failing, faults, SessionFixture, says, usage } from "./session-fixture.ts";

describe("a model that fails", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const overloaded = (retryAfterMs?: number) =>
    new ModelProblem("rate-limited", "Too many.", { isTransient: true, retryAfterMs });

  test("is retried with increasing delays, then the turn fails with the provider's message", async () => {
    const replies = Array.from({ length: 5 }, () => () => failing(overloaded()));
    const fixture = new SessionFixture({ replies });
    const failure = fixture.prompt("Go").catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await failure).toMatchObject({ message: "Too many." });
    const waits = fixture.events.flatMap((event) =>
      event.kind === "retry-scheduled" ? [event.delayMs] : [],
    );
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(fixture.records.at(-1)).toMatchObject({
      kind: "turn-ended",
      stopReason: "failed",
      error: "Too many.",
    });
  });

  test("is retried after the requested time, up to the limit", async () => {
    const patient = new SessionFixture({
      replies: [() => failing(overloaded(45_000)), says("Here.")],
    });
    const outcome = patient.prompt("Go");
    await vi.advanceTimersByTimeAsync(44_999);
    expect(patient.requests).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect((await outcome).stopReason).toBe("end_turn");
    // There is no output yet from which the model could continue.
    expect(patient.requests[1]?.messages).toEqual(patient.requests[0]?.messages);

    const endless = new SessionFixture({
      replies: [() => failing(overloaded(loopLimits.retryAfterMsMax + 1))],
    });
    await expect(endless.prompt("Go")).rejects.toThrow("Too many.");
  });

  test("is not retried if that is pointless", async () => {
    const fixture = new SessionFixture({
      replies: [() => failing(new ModelProblem("sign-in-needed", "No key."))],
    });
    await expect(fixture.prompt("Go")).rejects.toThrow("No key.");
    expect(fixture.requests).toHaveLength(1);
  });

  test("continues from its partial output", async () => {
    const half: StepPart[] = [{ type: "text-delta", partId: "0", delta: "Half" }];
    const fixture = new SessionFixture({
      replies: [() => failing(overloaded(), half), says(" and half.")],
    });
    const outcome = fixture.prompt("Go");
    await vi.runAllTimersAsync();
    await outcome;
    const texts = fixture.records.flatMap((record) =>
      record.kind === "text-added" ? [record.text] : [],
    );
    expect(texts).toEqual(["Half", " and half."]);
    expect(fixture.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: [{ type: "text", text: expect.stringContaining("broke") }],
    });
    expect(faults(fixture)).toEqual([]);
  });

  test("without output is never treated as an answer", async () => {
    const nothing: StepPart[] = [{ type: "finish", finish: "stop", usage }];
    const fixture = new SessionFixture({ replies: Array.from({ length: 5 }, () => nothing) });
    const failure = fixture.prompt("Go").catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await failure).toMatchObject({ message: "Test Model answered with nothing." });
  });

  test("can be cancelled during the delay", async () => {
    const fixture = new SessionFixture({ replies: [() => failing(overloaded(60_000))] });
    const outcome = fixture.prompt("Go");
    await vi.advanceTimersByTimeAsync(1_000);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(vi.getTimerCount()).toBe(0);
  });
});
