import { describe, expect, test, vi } from "vitest";
import type { AgentDefinition } from "../../src/config/config.ts";
import { ModelProblem } from "../../src/model/model.ts";
import type { Rule } from "../../src/permission/rule.ts";
import { calls, failing, faults, info, Rig, says, tool, until } from "./session-fixture.ts";

function mode(id: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  const given = { prompt: undefined, model: undefined, steps: undefined, hidden: false };
  const rules = { rules: [], untrustedRules: [] };
  return { id, name: id, description: id, role: "primary", ...rules, ...given, ...more };
}

describe("a session", () => {
  test("answers prompts one after the other, each with its own end", async () => {
    const rig = new Rig({ replies: [says("One."), says("Two."), says("Three.")] });
    const ends = await Promise.all(["a", "b", "c"].map((text) => rig.prompt(text)));
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn", "end_turn"]);
    const order = rig.records.flatMap((record) =>
      record.kind === "text-added" ? [record.text] : [],
    );
    expect(order).toEqual(["One.", "Two.", "Three."]);
    expect(rig.session.isBusy).toBe(false);
  });

  test("that is closed while it works ends its turn, answers who waits, and takes nothing more", async () => {
    const released = vi.fn(() => Promise.resolve());
    const rig = new Rig({
      replies: [(request) => until([], request)],
      parts: { release: released },
    });
    const outcomes = [rig.prompt("One"), rig.prompt("Two")];
    await expect.poll(() => rig.requests).toHaveLength(1);
    await rig.session.close();
    expect((await Promise.all(outcomes)).map(({ stopReason }) => stopReason)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect(rig.records.at(-1)).toMatchObject({ kind: "turn-ended", stopReason: "cancelled" });
    expect(released).toHaveBeenCalledOnce();
    await expect(rig.prompt("Three")).rejects.toThrow("closed");
  });

  test("runs nothing for a request that was stopped before it came", async () => {
    const rig = new Rig({ replies: [] });
    expect((await rig.prompt("Go", AbortSignal.abort())).stopReason).toBe("cancelled");
    expect(rig.records).toEqual([]);
  });

  test("refuses an empty prompt, and says so", async () => {
    const rig = new Rig({ replies: [says("Hello.")] });
    await expect(rig.prompt("  \n")).rejects.toMatchObject({ reason: "bad-request" });
    await expect(rig.session.prompt([])).rejects.toThrow("empty");
    expect(rig.requests).toEqual([]);
    await rig.prompt("Hi");
    expect(rig.requests[0]?.messages).toHaveLength(1);
  });

  test("keeps a prompt that could not be read, and the model does not read of it", async () => {
    let isBroken = true;
    const rig = new Rig({
      replies: [says("Hello.")],
      parts: {
        readPrompt: () =>
          isBroken
            ? Promise.reject(new Error("The disk is gone."))
            : Promise.resolve([{ type: "text", text: "Hi" }]),
      },
    });
    await expect(rig.prompt("Look")).rejects.toThrow("The disk is gone.");
    expect(rig.kinds()).toEqual(["prompt-sent", "turn-ended"]);
    isBroken = false;
    await rig.prompt("Hi");
    expect(JSON.stringify(rig.requests[0]?.messages)).not.toContain("Look");
    expect(faults(rig)).toEqual([]);
  });

  test("goes on after a turn that failed, without what nobody said", async () => {
    const broken = () => failing(new ModelProblem("provider-error", "No."));
    const rig = new Rig({ replies: [broken, says("Hello.")] });
    await expect(rig.prompt("First")).rejects.toThrow("No.");
    expect((await rig.prompt("Second")).stopReason).toBe("end_turn");
    expect(rig.requests[1]?.messages).toEqual([
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

describe("the name of a session", () => {
  test("is made in the background, once, and never for its sake alone", async () => {
    const gate = Promise.withResolvers<void>();
    const rig = new Rig({
      replies: [],
      parts: {
        async *stream({ system }) {
          if (system.startsWith("You name")) await gate.promise;
          yield* says(system.startsWith("You name") ? '"A good name."' : "Hello.");
        },
      },
    });
    rig.session.state.title = null;
    await rig.prompt("Hi");
    await rig.prompt("Hi again");
    expect(rig.kinds()).not.toContain("title-changed");
    gate.resolve();
    await expect.poll(() => rig.session.state.title).toBe("A good name");
    expect(rig.kinds().filter((kind) => kind === "title-changed")).toHaveLength(1);
  });
});

describe("the model of a session", () => {
  test("that was chosen and is gone is not replaced behind the person's back", async () => {
    const rig = new Rig({ replies: [says("Hello.")] });
    rig.session.choose({ model: "gone/model" });
    await expect(rig.prompt("Hi")).rejects.toMatchObject({ reason: "unknown-model" });
    expect(rig.requests).toEqual([]);
    // What helps out of it still works.
    for (const command of ["/status", "/models", `/models ${info.id}`]) await rig.prompt(command);
    expect((await rig.prompt("Hi")).stopReason).toBe("end_turn");
  });

  test("that only a mode names may be another", async () => {
    const agents = [mode("build", { model: "gone/model" })];
    const rig = new Rig({ replies: [says("Hello.")], config: { agents } });
    expect((await rig.prompt("Hi")).stopReason).toBe("end_turn");
  });

  test("and its mode can be gone from the config", () => {
    const agents = [mode("helper", { role: "subagent" }), mode("docs")];
    const rig = new Rig({ replies: [], config: { agents, defaultMode: "gone" } });
    rig.session.choose({ mode: "gone too" });
    expect(rig.session.definition.id).toBe("docs");
  });
});

describe("plan mode", () => {
  const plan: Rule[] = [{ permission: "edit", pattern: "*", action: "deny" }];
  const agents = [mode("build"), mode("plan", { rules: plan }), mode("docs")];
  const edit = tool("edit", async (_input, context) => {
    await context.ask({ permission: "edit", patterns: ["a"], always: [] });
    return { output: "written" };
  });
  const leaving = (rig: Rig) =>
    tool("plan_exit", async (_input, context) => {
      return { output: await rig.situation.leavePlan(context, "The plan.") };
    });
  const last = (rig: Rig) => JSON.stringify(rig.requests.at(-1)?.messages.at(-1));

  test("is said with each prompt, and its end once, under the name of the mode that follows", async () => {
    const rig = new Rig({
      replies: [says("1"), says("2"), says("3"), says("4")],
      config: { agents },
    });
    rig.session.choose({ mode: "plan" });
    await rig.prompt("One");
    expect(last(rig)).toContain("Plan mode: look");
    await rig.prompt("Two");
    expect(last(rig)).toContain("Plan mode: look");
    rig.session.choose({ mode: "docs" });
    await rig.prompt("Three");
    expect(last(rig)).toContain("The mode is docs now");
    await rig.prompt("Four");
    expect(last(rig)).not.toContain("mode");
  });

  test.each([
    ["build-accepting-edits", "build", "accept-edits"],
    ["build-asking", "build", "ask"],
    ["keep-planning", "plan", "ask"],
  ] as const)("is left as the person says: %s", async (exit, wanted, permissions) => {
    const rig: Rig = new Rig({
      replies: [
        calls({ tool: "plan_exit", input: {} }),
        calls({ tool: "edit", input: {} }),
        says("Done."),
      ],
      tools: [edit],
      config: { agents },
    });
    rig.tools.push(leaving(rig));
    rig.leavePlan = () => Promise.resolve(exit);
    rig.session.choose({ mode: "plan" });
    await rig.prompt("Go");
    expect(rig.session.definition.id).toBe(wanted);
    expect(rig.session.state.permissions).toBe(permissions);
    const [, edited] = rig.ended();
    expect(edited?.status).toBe(exit === "keep-planning" ? "failed" : "completed");
  });

  test("that a command chose for its turn is left within it", async () => {
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
    const rig: Rig = new Rig({
      replies: [
        calls({ tool: "plan_exit", input: {} }),
        calls({ tool: "edit", input: {} }),
        says("Done."),
      ],
      tools: [edit],
      config: { agents, commands },
    });
    rig.tools.push(leaving(rig));
    rig.leavePlan = () => Promise.resolve("build-accepting-edits");
    await rig.prompt("/think this");
    expect(rig.ended().map(({ status }) => status)).toEqual(["completed", "completed"]);
  });
});
