import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { toModelMessages } from "../../src/core/messages.ts";
import type { AgentEvent } from "../../src/core/record.ts";
import { faultsOf } from "./random-histories.ts";
import { info, SessionFixture, tool } from "./session-fixture.ts";
import { call, finished, mockProvider, text, type ProviderAnswer } from "./mock-provider.ts";

const read = (run = () => Promise.resolve({ output: "text" })) =>
  tool("read", run, { input: z.object({ path: z.string() }) });

function fixtureOf(options: { answers: ProviderAnswer[]; tools?: ReturnType<typeof tool>[] }) {
  const model = mockProvider(...options.answers);
  const fixture = new SessionFixture({ replies: [], model, tools: options.tools ?? [read()] });
  return { fixture, model };
}

function of<Kind extends AgentEvent["kind"]>(fixture: SessionFixture, kind: Kind) {
  return fixture.events.filter((event): event is Extract<AgentEvent, { kind: Kind }> => {
    return event.kind === kind;
  });
}

/** Each displayed call has ended once, and providers accept the history. */
function expectWhole(fixture: SessionFixture): void {
  const shown = new Set(
    [...of(fixture, "tool-announced"), ...of(fixture, "tool-called")].map(idOf),
  );
  const over = [...of(fixture, "tool-withdrawn"), ...of(fixture, "tool-ended")].map(idOf);
  expect(over.toSorted()).toEqual([...shown].toSorted());
  expect(of(fixture, "step-ended")).toHaveLength(of(fixture, "step-started").length);
  expect(faultsOf(toModelMessages(fixture.session.state, info))).toEqual([]);
}

function idOf({ callId }: { callId: string }): string {
  return callId;
}

describe("a cancel, with the real stream", () => {
  const open = call("call_0", "read", '{"path":"a"}');
  const points: [string, ProviderAnswer, (fixture: SessionFixture) => boolean][] = [
    ["before the provider answers", { parts: [], hangs: true }, () => true],
    [
      "in the middle of a text",
      { parts: text("Half").slice(0, 2), hangs: true },
      (fixture) => of(fixture, "text-streamed").length > 0,
    ],
    [
      "in the middle of a thought",
      {
        parts: [
          { type: "reasoning-start", id: "0" },
          { type: "reasoning-delta", id: "0", delta: "Hm" },
        ],
        hangs: true,
      },
      (fixture) => of(fixture, "thought-streamed").length > 0,
    ],
    [
      "in the middle of a call's input",
      { parts: open.slice(0, 2), hangs: true },
      (fixture) => of(fixture, "tool-announced").length > 0,
    ],
    [
      "between a call and the answer's end",
      { parts: open, hangs: true },
      (fixture) => of(fixture, "tool-called").length > 0,
    ],
  ];

  test.each(points)("%s", async (_when, answer, isThere) => {
    const { fixture, model } = fixtureOf({ answers: [answer] });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => model.doStreamCalls.length === 1 && isThere(fixture)).toBe(true);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expectWhole(fixture);
    expect((await fixture.prompt("Go on")).stopReason).toBe("end_turn");
    expectWhole(fixture);
  });

  test("during a permission request, and while tools run", async () => {
    const guarded = tool("guarded", async (_input, context) => {
      await context.ask({ permission: "bash", patterns: ["x"], always: [] });
      return { output: "ran" };
    });
    const running = tool("running", (_input, context) => {
      context.progress({});
      return new Promise((_resolve, reject) =>
        context.signal.addEventListener("abort", () => reject(new Error("stopped")), {
          once: true,
        }),
      );
    });
    const parts = [...call("a", "guarded", "{}"), ...call("b", "running", "{}")];
    const { fixture } = fixtureOf({
      answers: [{ parts: [...parts, finished("tool-calls")] }],
      tools: [guarded, running],
    });
    fixture.session.choose({ permissions: "ask" });
    fixture.session.parts.project.config.rules.user.length = 0;
    fixture.decide = (_question, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
      );
    const outcome = fixture.prompt("Go");
    await expect
      .poll(() => [fixture.questions.length, of(fixture, "tool-running").length])
      .toEqual([1, 1]);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.ended().map(({ reason }) => reason)).toEqual(["cancelled", "cancelled"]);
    expectWhole(fixture);
  });

  test("between two steps sends no further request to the model", async () => {
    const { fixture, model } = fixtureOf({
      answers: [{ parts: [...call("a", "read", '{"path":"a"}'), finished("tool-calls")] }],
    });
    fixture.onEvent = (event) => {
      if (event.kind === "tool-ended") fixture.session.cancel();
    };
    expect((await fixture.prompt("Go")).stopReason).toBe("cancelled");
    expect(model.doStreamCalls).toHaveLength(1);
    expect(fixture.ended()).toMatchObject([{ status: "completed" }]);
    expectWhole(fixture);
  });
});

describe("calls of a provider", () => {
  const two = (first: string, second: string): ProviderAnswer => ({
    parts: [
      ...call(first, "read", '{"path":"a"}'),
      ...call(second, "read", '{"path":"b"}'),
      finished("tool-calls"),
    ],
  });

  test.each([
    ["that counts from zero in every answer", "call_0", "call_1"],
    ["that uses one id twice in an answer", "call_0", "call_0"],
    ["that sends none", "", ""],
  ])("%s have unique ids", async (_which, first, second) => {
    const answers = [two(first, second), two(first, second)];
    const { fixture } = fixtureOf({ answers });
    expect((await fixture.prompt("Go")).stopReason).toBe("end_turn");
    const ids = of(fixture, "tool-called").map(idOf);
    expect(new Set(ids).size).toBe(4);
    expect(fixture.ended().map(idOf).toSorted()).toEqual(ids.toSorted());
    expectWhole(fixture);
  });

  test("whose input was cut get a new id when they are repeated", async () => {
    const half = call("call_0", "read", '{"path":"a"}').slice(0, 2);
    const again = [...call("call_0", "read", '{"path":"a"}'), finished("tool-calls")];
    const { fixture } = fixtureOf({ answers: [{ parts: half, hangs: true }, { parts: again }] });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => of(fixture, "tool-announced")).toHaveLength(1);
    fixture.session.cancel();
    await outcome;
    await fixture.prompt("Again");
    const [withdrawn] = of(fixture, "tool-withdrawn").map(idOf);
    expect(of(fixture, "tool-called").map(idOf)).not.toContain(withdrawn);
    expectWhole(fixture);
  });

  test("with invalid JSON, invalid input or unknown tools are reported to the model", async () => {
    const parts = [
      ...call("a", "read", '{"path":'),
      ...call("b", "read", '{"path":5}'),
      ...call("c", "functions.nothing", "{}"),
      ...call("d", "Read", '{"path":"a"}'),
      finished("tool-calls"),
    ];
    const { fixture, model } = fixtureOf({ answers: [{ parts }] });
    expect((await fixture.prompt("Go")).stopReason).toBe("end_turn");
    const ends = new Map(fixture.ended().map((each) => [each.callId, each.reason ?? each.status]));
    expect(Object.fromEntries(ends)).toEqual({
      a: "invalid-input",
      b: "invalid-input",
      c: "tool-not-found",
      d: "completed",
    });
    expectWhole(fixture);
    // The provider receives valid data: objects, and valid names.
    const sent = model.doStreamCalls[1]?.prompt.flatMap((message) =>
      message.role === "assistant" ? message.content : [],
    );
    for (const part of sent ?? []) {
      if (part.type !== "tool-call") continue;
      expect(part.input).toEqual(expect.any(Object));
      expect(part.toolName).toMatch(/^[A-Za-z0-9_-]+$/u);
    }
  });

  test("that were complete when the connection broke are ended, not run, and the model continues", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let runs = 0;
      const counted = read(() => {
        runs += 1;
        return Promise.resolve({ output: "text" });
      });
      const cut = { parts: call("a", "read", '{"path":"a"}'), breaks: true };
      const { fixture, model } = fixtureOf({ answers: [cut], tools: [counted] });
      const outcome = fixture.prompt("Go");
      await expect.poll(() => of(fixture, "retry-scheduled")).toHaveLength(1);
      await vi.runAllTimersAsync();
      expect((await outcome).stopReason).toBe("end_turn");
      expect(runs).toBe(0);
      expect(model.doStreamCalls).toHaveLength(2);
      expect(fixture.ended()).toMatchObject([{ status: "failed" }]);
      expectWhole(fixture);
    } finally {
      vi.useRealTimers();
    }
  });

  test("run with limited concurrency", async () => {
    let running = 0;
    let most = 0;
    const busy = read(async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return { output: "text" };
    });
    const parts = Array.from({ length: 50 }, (_each, index) =>
      call(`c${index}`, "read", `{"path":"${index}"}`),
    ).flat();
    const { fixture } = fixtureOf({
      answers: [{ parts: [...parts, finished("tool-calls")] }],
      tools: [busy],
    });
    await fixture.prompt("Go");
    expect(fixture.ended()).toHaveLength(50);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(16);
  });
});

describe("an abandoned tool", () => {
  test("changes nothing any more, except files that it changed", async () => {
    const late = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const deaf = tool("deaf", async (_input, context) => {
      context.progress({ title: "Working" });
      await late.promise;
      context.progress({ title: "Still here" });
      context.append({ kind: "plan-changed", entries: [] });
      const { promptId, callId } = context;
      const file = { path: "/project/a", before: null, after: "late" };
      context.append({ kind: "file-changed", promptId, callId, ...file });
      done.resolve();
      return { output: "too late" };
    });
    const { fixture } = fixtureOf({
      answers: [{ parts: [...call("a", "deaf", "{}"), finished("tool-calls")] }],
      tools: [deaf],
    });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => of(fixture, "tool-progressed")).toHaveLength(1);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    late.resolve();
    await done.promise;
    expect(of(fixture, "tool-progressed")).toHaveLength(1);
    expect(fixture.ended()).toMatchObject([{ status: "failed", reason: "cancelled" }]);
    expect(fixture.kinds()).not.toContain("plan-changed");
    expect(fixture.kinds()).toContain("file-changed");
    expectWhole(fixture);
  });
});
