import { describe, expect, test, vi } from "vitest";
import type { AgentDefinition } from "../../src/config/config.ts";
import { ModelProblem } from "../../src/model/model.ts";
import type { Rule } from "../../src/permission/rule.ts";
import {
  calls,
  failing,
  faults,
  info,
  SessionFixture,
  says,
  tool,
  until,
} from "./session-fixture.ts";

function mode(id: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  const given = { prompt: undefined, model: undefined, steps: undefined, hidden: false };
  const rules = { rules: [], untrustedRules: [] };
  return { id, name: id, description: id, role: "primary", ...rules, ...given, ...more };
}

describe("a session", () => {
  test("answers prompts one after another, each with its own end", async () => {
    const fixture = new SessionFixture({ replies: [says("One."), says("Two."), says("Three.")] });
    const ends = await Promise.all(["a", "b", "c"].map((text) => fixture.prompt(text)));
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn", "end_turn"]);
    const order = fixture.records.flatMap((record) =>
      record.kind === "text-added" ? [record.text] : [],
    );
    expect(order).toEqual(["One.", "Two.", "Three."]);
    expect(fixture.session.isBusy).toBe(false);
  });

  test("that is closed while it works ends its turn, answers queued prompts, and accepts nothing more", async () => {
    const released = vi.fn(() => Promise.resolve());
    const fixture = new SessionFixture({
      replies: [(request) => until([], request)],
      parts: { release: released },
    });
    const outcomes = [fixture.prompt("One"), fixture.prompt("Two")];
    await expect.poll(() => fixture.requests).toHaveLength(1);
    await fixture.session.close();
    expect((await Promise.all(outcomes)).map(({ stopReason }) => stopReason)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect(fixture.records.at(-1)).toMatchObject({ kind: "turn-ended", stopReason: "cancelled" });
    expect(released).toHaveBeenCalledOnce();
    await expect(fixture.prompt("Three")).rejects.toThrow("closed");
  });

  test("runs nothing for a request that was aborted before it started", async () => {
    const fixture = new SessionFixture({ replies: [] });
    expect((await fixture.prompt("Go", AbortSignal.abort())).stopReason).toBe("cancelled");
    expect(fixture.records).toEqual([]);
  });

  test("refuses an empty prompt, and says so", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    await expect(fixture.prompt("  \n")).rejects.toMatchObject({ reason: "bad-request" });
    await expect(fixture.session.prompt([])).rejects.toThrow("empty");
    expect(fixture.requests).toEqual([]);
    await fixture.prompt("Hi");
    expect(fixture.requests[0]?.messages).toHaveLength(1);
  });

  test("records a prompt that could not be read, but the model does not see it", async () => {
    let isBroken = true;
    const fixture = new SessionFixture({
      replies: [says("Hello.")],
      parts: {
        readPrompt: () =>
          isBroken
            ? Promise.reject(new Error("The disk is gone."))
            : Promise.resolve([{ type: "text", text: "Hi" }]),
      },
    });
    await expect(fixture.prompt("Look")).rejects.toThrow("The disk is gone.");
    expect(fixture.kinds()).toEqual(["prompt-sent", "turn-ended"]);
    isBroken = false;
    await fixture.prompt("Hi");
    expect(JSON.stringify(fixture.requests[0]?.messages)).not.toContain("Look");
    expect(faults(fixture)).toEqual([]);
  });

  test("continues after a failed turn, without its partial output", async () => {
    const broken = () => failing(new ModelProblem("provider-error", "No."));
    const fixture = new SessionFixture({ replies: [broken, says("Hello.")] });
    await expect(fixture.prompt("First")).rejects.toThrow("No.");
    expect((await fixture.prompt("Second")).stopReason).toBe("end_turn");
    expect(fixture.requests[1]?.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "First" },
          { type: "text", text: "Second" },
        ],
      },
    ]);
  });
});

describe("the title of a session", () => {
  test("is generated in the background, once, and the turn does not wait for it", async () => {
    const gate = Promise.withResolvers<void>();
    const fixture = new SessionFixture({
      replies: [],
      parts: {
        async *stream({ system }) {
          if (system.startsWith("You name")) await gate.promise;
          yield* says(system.startsWith("You name") ? '"A good name."' : "Hello.");
        },
      },
    });
    fixture.session.state.title = null;
    await fixture.prompt("Hi");
    await fixture.prompt("Hi again");
    expect(fixture.kinds()).not.toContain("title-changed");
    gate.resolve();
    await expect.poll(() => fixture.session.state.title).toBe("A good name");
    expect(fixture.kinds().filter((kind) => kind === "title-changed")).toHaveLength(1);
  });
});

describe("the model of a session", () => {
  test("is not silently replaced if it was chosen and no longer exists", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    fixture.session.choose({ model: "gone/model" });
    await expect(fixture.prompt("Hi")).rejects.toMatchObject({ reason: "unknown-model" });
    expect(fixture.requests).toEqual([]);
    // The commands to choose another model still work.
    for (const command of ["/status", "/models", `/models ${info.id}`])
      await fixture.prompt(command);
    expect((await fixture.prompt("Hi")).stopReason).toBe("end_turn");
  });

  test("may be replaced if only a mode names it", async () => {
    const agents = [mode("build", { model: "gone/model" })];
    const fixture = new SessionFixture({ replies: [says("Hello.")], config: { agents } });
    expect((await fixture.prompt("Hi")).stopReason).toBe("end_turn");
  });

  test("and its mode can be missing from the config", () => {
    const agents = [mode("helper", { role: "subagent" }), mode("docs")];
    const fixture = new SessionFixture({ replies: [], config: { agents, defaultMode: "gone" } });
    fixture.session.choose({ mode: "gone too" });
    expect(fixture.session.definition.id).toBe("docs");
  });
});

describe("plan mode", () => {
  const plan: Rule[] = [{ permission: "edit", pattern: "*", action: "deny" }];
  const agents = [mode("build"), mode("plan", { rules: plan }), mode("docs")];
  const edit = tool("edit", async (_input, context) => {
    await context.ask({ permission: "edit", patterns: ["a"], always: [] });
    return { output: "written" };
  });
  const leaving = (fixture: SessionFixture) =>
    tool("plan_exit", async (_input, context) => {
      return { output: await fixture.situation.leavePlan(context, "The plan.") };
    });
  const last = (fixture: SessionFixture) =>
    JSON.stringify(fixture.requests.at(-1)?.messages.at(-1));

  test("is announced with each prompt, and its end once, with the name of the next mode", async () => {
    const fixture = new SessionFixture({
      replies: [says("1"), says("2"), says("3"), says("4")],
      config: { agents },
    });
    fixture.session.choose({ mode: "plan" });
    await fixture.prompt("One");
    expect(last(fixture)).toContain("Plan mode: look");
    await fixture.prompt("Two");
    expect(last(fixture)).toContain("Plan mode: look");
    fixture.session.choose({ mode: "docs" });
    await fixture.prompt("Three");
    expect(last(fixture)).toContain("The mode is docs now");
    await fixture.prompt("Four");
    expect(last(fixture)).not.toContain("mode");
  });

  test.each([
    ["build-accepting-edits", "build", "accept-edits"],
    ["build-asking", "build", "ask"],
    ["keep-planning", "plan", "ask"],
  ] as const)("ends as the person decides: %s", async (exit, wanted, permissions) => {
    const fixture: SessionFixture = new SessionFixture({
      replies: [
        calls({ tool: "plan_exit", input: {} }),
        calls({ tool: "edit", input: {} }),
        says("Done."),
      ],
      tools: [edit],
      config: { agents },
    });
    fixture.tools.push(leaving(fixture));
    fixture.leavePlan = () => Promise.resolve(exit);
    fixture.session.choose({ mode: "plan" });
    await fixture.prompt("Go");
    expect(fixture.session.definition.id).toBe(wanted);
    expect(fixture.session.state.permissions).toBe(permissions);
    const [, edited] = fixture.ended();
    expect(edited?.status).toBe(exit === "keep-planning" ? "failed" : "completed");
  });

  test("that a command chose for its turn ends within it", async () => {
    const commands = [
      {
        name: "think",
        description: "Think",
        hint: undefined,
        template: "Think about $ARGUMENTS",
        agent: "plan",
        model: undefined,
        subtask: false,
        source: "test",
      },
    ];
    const fixture: SessionFixture = new SessionFixture({
      replies: [
        calls({ tool: "plan_exit", input: {} }),
        calls({ tool: "edit", input: {} }),
        says("Done."),
      ],
      tools: [edit],
      config: { agents, commands },
    });
    fixture.tools.push(leaving(fixture));
    fixture.leavePlan = () => Promise.resolve("build-accepting-edits");
    await fixture.prompt("/think this");
    expect(fixture.ended().map(({ status }) => status)).toEqual(["completed", "completed"]);
  });
});
