import { describe, expect, test } from "vitest";
import { z } from "zod";
import { foldRecords } from "../../src/core/state.ts";
import { calls, faults, SessionFixture, says, tool, usage } from "./session-fixture.ts";

describe("a turn", () => {
  test("streams an answer, and stores it completely", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    const outcome = await fixture.prompt("Hi");
    expect(outcome).toEqual({ stopReason: "end_turn", usage });
    expect(fixture.kinds()).toEqual([
      "prompt-sent",
      "step-started",
      "text-added",
      "step-ended",
      "turn-ended",
    ]);
    expect(fixture.events).toContainEqual(
      expect.objectContaining({ kind: "text-streamed", delta: "Hello." }),
    );
    expect(fixture.session.state.cost).toEqual({ amount: 0.0002, currency: "USD" });
  });

  test("runs calls in parallel, and continues with their results", async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const wait = tool("wait", async (input) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      return { output: `waited for ${JSON.stringify(input)}` };
    });
    const replies = [
      calls({ tool: "wait", input: { a: 1 } }, { tool: "wait", input: { a: 2 } }),
      says("Done."),
    ];
    const fixture = new SessionFixture({ replies, tools: [wait] });
    expect((await fixture.prompt("Wait twice")).stopReason).toBe("end_turn");
    expect(
      fixture
        .ended()
        .map((record) => record.output)
        .toSorted(),
    ).toEqual(['waited for {"a":1}', 'waited for {"a":2}']);
    expect(fixture.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
    ]);
    expect(faults(fixture)).toEqual([]);
  });

  test("runs calls that name the same file in the order of the answer", async () => {
    const second = Promise.withResolvers<void>();
    const order: string[] = [];
    const view = (input: { path?: string }) => ({
      title: "edit",
      locations: [{ path: input.path ?? "" }],
      content: [],
    });
    const edit = tool(
      "edit",
      async (input) => {
        const { text, path } = input as { text: string; path: string };
        // The first call is slow, unless the one that must wait for it runs in parallel.
        if (text === "first") await Promise.race([second.promise, other.promise]);
        if (text === "second") second.resolve();
        if (path === "/project/b") other.resolve();
        order.push(`${text} ${path}`);
        return { output: text };
      },
      { kind: "edit", view, input: z.object({ text: z.string(), path: z.string() }) },
    );
    const other = Promise.withResolvers<void>();
    const input = (text: string, path: string) => ({ tool: "edit", input: { text, path } });
    const replies = [
      calls(
        input("first", "/project/a"),
        input("second", "/project/a"),
        input("third", "/project/b"),
      ),
      says("Done."),
    ];
    const fixture = new SessionFixture({ replies, tools: [edit] });
    await fixture.prompt("Edit");
    expect(order).toEqual(["third /project/b", "first /project/a", "second /project/a"]);
  });

  test("is the same when it is folded from its records", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const fixture = new SessionFixture({
      replies: [calls({ tool: "echo", input: {} }), says("Done.")],
      tools: [echo],
    });
    await fixture.prompt("Echo");
    const { created } = fixture.session.state;
    const folded = foldRecords([created, ...fixture.records]);
    expect(folded).toEqual({ ...fixture.session.state, title: null });
  });

  test("reports unknown tools and invalid input to the model", async () => {
    const strict = tool("strict", () => Promise.resolve({ output: "never" }), {
      input: z.object({ path: z.string() }),
    });
    const replies = [
      calls({ tool: "nothing", input: {} }, { tool: "strict", input: { path: 5 } }),
      [
        {
          type: "tool-call-invalid",
          callId: "bad",
          tool: "strict",
          input: "{",
          problem: "no JSON",
        } as const,
        { type: "finish", finish: "tool-calls", usage } as const,
      ],
      says("Sorry."),
    ];
    const fixture = new SessionFixture({ replies, tools: [strict] });
    await fixture.prompt("Go");
    expect(fixture.ended().map((record) => [record.status, record.reason])).toEqual([
      ["failed", "tool-not-found"],
      ["failed", "invalid-input"],
      ["failed", "invalid-input"],
    ]);
    expect(fixture.ended()[1]?.output).toContain("path");
    expect(fixture.ended()[2]?.output).toContain("no JSON");
    expect(faults(fixture)).toEqual([]);
  });

  test("asks before a call is made with the same input a fourth time", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const again = () => calls({ tool: "echo", input: { same: true } });
    const fixture = new SessionFixture({
      replies: [again(), again(), again(), again(), says("I stop.")],
      tools: [echo],
      config: {
        rules: {
          user: [
            { permission: "*", pattern: "*", action: "allow" },
            { permission: "doom_loop", pattern: "*", action: "ask" },
          ],
          project: [],
        },
      },
    });
    fixture.decide = () => Promise.resolve({ answer: "reject" });
    await fixture.prompt("Echo for ever");
    expect(fixture.questions.map((question) => question.requests[0]?.permission)).toEqual([
      "doom_loop",
    ]);
    expect(fixture.ended().map((record) => record.status)).toEqual([
      "completed",
      "completed",
      "completed",
      "failed",
    ]);
  });

  test("ends with a final message when its steps are used up", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const agents = [
      {
        id: "build",
        name: "build",
        description: "",
        role: "primary" as const,
        prompt: undefined,
        model: undefined,
        rules: [],
        untrustedRules: [],
        steps: 2,
        hidden: false,
      },
    ];
    const fixture = new SessionFixture({
      replies: [
        calls({ tool: "echo", input: { n: 1 } }),
        calls({ tool: "echo", input: { n: 2 } }),
        says("This is where I am."),
      ],
      tools: [echo],
      config: { agents },
    });
    expect((await fixture.prompt("Go")).stopReason).toBe("max_turn_requests");
    expect(fixture.requests[2]?.tools).toEqual([]);
    expect(faults(fixture)).toEqual([]);
  });

  test.each([
    ["length", "max_tokens"],
    ["refusal", "refusal"],
  ] as const)("reports its stop reason: %s", async (finish, stopReason) => {
    const fixture = new SessionFixture({
      replies: [
        [
          { type: "text-delta", partId: "0", delta: "Well" },
          { type: "finish", finish, usage },
        ],
      ],
    });
    expect((await fixture.prompt("Go")).stopReason).toBe(stopReason);
  });
});

describe("a refusal", () => {
  const guarded = () =>
    tool("guarded", async (_input, context) => {
      await context.ask({ permission: "bash", patterns: ["rm x"], always: ["rm *"] });
      return { output: "ran" };
    });
  const rulesOf = (action: "ask" | "deny") => ({
    rules: { user: [{ permission: "bash", pattern: "*", action }], project: [] },
  });
  const asking = rulesOf("ask");

  test("by the person is reported to the model, which continues", async () => {
    const fixture = new SessionFixture({
      replies: [calls({ tool: "guarded", input: {} }), says("What then?")],
      tools: [guarded()],
      config: asking,
    });
    fixture.decide = () => Promise.resolve({ answer: "reject" });
    expect((await fixture.prompt("Go")).stopReason).toBe("end_turn");
    expect(fixture.ended()).toMatchObject([{ status: "failed", reason: "rejected" }]);
  });

  test("by a rule asks nobody", async () => {
    const fixture = new SessionFixture({
      replies: [calls({ tool: "guarded", input: {} }), says("Hm.")],
      tools: [guarded()],
      config: rulesOf("deny"),
    });
    await fixture.prompt("Go");
    expect(fixture.questions).toEqual([]);
    expect(fixture.ended()).toMatchObject([{ status: "failed", reason: "tool-disabled" }]);
  });

  test("with “never” or a permission with “always” is not asked again", async () => {
    for (const answer of ["always", "never"] as const) {
      const replies = [
        calls({ tool: "guarded", input: { n: 1 } }),
        calls({ tool: "guarded", input: { n: 2 } }),
        says("Done."),
      ];
      const fixture = new SessionFixture({ replies, tools: [guarded()], config: asking });
      fixture.decide = () => Promise.resolve({ answer });
      await fixture.prompt("Go");
      expect(fixture.questions).toHaveLength(1);
      const status = answer === "always" ? "completed" : "failed";
      expect(fixture.ended().map((record) => record.status)).toEqual([status, status]);
    }
  });
});
