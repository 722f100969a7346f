import { describe, expect, test, vi } from "vitest";
import type { CommandDefinition } from "../../src/config/config.ts";
import { faultsOf } from "./random-histories.ts";
import { toModelMessages } from "../../src/core/messages.ts";
import { info, SessionFixture, says, tool } from "./session-fixture.ts";

const greet: CommandDefinition = {
  name: "greet",
  description: "Greet",
  hint: undefined,
  template: "Say hello to $ARGUMENTS.",
  agent: undefined,
  model: undefined,
  subtask: false,
  source: "test",
};

describe("commands", () => {
  test("that are built in run without the model, which never sees them", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    for (const name of ["help", "status", "models", "undo", "redo"]) {
      expect((await fixture.prompt(`/${name}`)).stopReason).toBe("end_turn");
    }
    expect(fixture.requests).toEqual([]);
    await fixture.prompt("Hi");
    expect(fixture.requests[0]?.messages).toHaveLength(1);
  });

  test("of a project are expanded", async () => {
    const fixture = new SessionFixture({
      replies: [says("Hello, Ada.")],
      config: { commands: [greet] },
    });
    await fixture.prompt("/greet Ada");
    expect(fixture.requests[0]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Say hello to Ada." }] },
    ]);
    expect(fixture.records[0]).toMatchObject({
      kind: "prompt-sent",
      content: [{ type: "text", text: "/greet Ada" }],
    });
  });

  test("with unknown names are prompts", async () => {
    const fixture = new SessionFixture({ replies: [says("A path.")] });
    await fixture.prompt("/etc/hosts is what?");
    expect(JSON.stringify(fixture.requests[0]?.messages)).toContain("/etc/hosts is what?");
  });

  test("choose a mode and a model for their own turn", async () => {
    const other = { ...info, id: "test/other" };
    const commands = [{ ...greet, agent: "plan", model: other.id }];
    const fixture = new SessionFixture({
      replies: [says("Hello."), says("Hi.")],
      config: { commands },
    });
    fixture.session.parts.models.find = (id) => (id === other.id ? other : null);
    await fixture.prompt("/greet Ada");
    expect(JSON.stringify(fixture.requests[0]?.messages)).toContain("Plan mode");
    await fixture.prompt("Hi");
    const steps = fixture.records.filter((record) => record.kind === "step-started");
    expect(steps.map(({ modelId }) => modelId)).toEqual([other.id, info.id]);
    expect(fixture.session.definition.id).toBe("build");
  });

  test.each([
    [{ subtask: true }, "general"],
    [{ agent: "general" }, "general"],
    [{ subtask: true, agent: "build" }, "general"],
    [{ subtask: true, description: "" }, "general"],
  ])("run in a subagent as %j says, and the model reads the result", async (more, type) => {
    const inputs: unknown[] = [];
    const task = tool("task", (input) => {
      inputs.push(input);
      return Promise.resolve({ output: "The helper's word." });
    });
    const fixture = new SessionFixture({
      replies: [says("Well.")],
      tools: [task],
      config: { commands: [{ ...greet, ...more }] },
    });
    expect((await fixture.prompt("/greet Ada")).stopReason).toBe("end_turn");
    expect(inputs).toEqual([
      {
        description: expect.stringMatching(/./u),
        prompt: "Say hello to Ada.",
        subagent_type: type,
      },
    ]);
    expect(fixture.ended()).toMatchObject([{ status: "completed" }]);
    // As text: some providers require thoughts before a call, which a call that the model did not make would lack.
    expect(fixture.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(JSON.stringify(fixture.requests[0]?.messages)).toContain("The helper's word.");
    expect(faultsOf(toModelMessages(fixture.session.state, info))).toEqual([]);
  });

  test("of a server are expanded, and can be cancelled if the server does not answer", async () => {
    const fixture = new SessionFixture({ replies: [says("Hello.")] });
    let expand: (values: string) => Promise<string> = (values) =>
      Promise.resolve(`Greet ${values}`);
    fixture.session.parts.mcp.prompts = () => [
      { name: "greet", description: "", arguments: [], expand: (values) => expand(values) },
    ];
    await fixture.prompt("/greet Ada");
    expect(JSON.stringify(fixture.requests[0]?.messages)).toContain("Greet Ada");
    const asked = Promise.withResolvers<void>();
    expand = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const outcome = fixture.prompt("/greet Bob");
    await asked.promise;
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.records.slice(-2)).toMatchObject([
      { kind: "prompt-sent", parts: [] },
      { kind: "turn-ended", stopReason: "cancelled" },
    ]);
  });

  test("that trust a project list its requests first, and reload it after a yes", async () => {
    const trust = vi.fn(() => Promise.resolve());
    const closed = vi.fn(() => Promise.resolve());
    const fixture = new SessionFixture({ replies: [] });
    const { parts } = fixture.session;
    const { project, mcp } = parts;
    parts.mcp = { ...mcp, close: closed };
    parts.project = {
      ...project,
      untrustedConfig: { folder: "/project", wants: ["start the server x"], trust },
    };
    parts.reopen = () => Promise.resolve({ project, mcp });
    const said = async (text: string) => {
      await fixture.prompt(text);
      return fixture.records.findLast((record) => record.kind === "text-added")?.text;
    };
    expect(await said("/trust")).toContain("start the server x");
    expect(trust).not.toHaveBeenCalled();
    expect(await said("/trust yes")).toContain("is trusted");
    expect(trust).toHaveBeenCalledOnce();
    expect(closed).toHaveBeenCalledOnce();
    expect(fixture.events).toContainEqual({ kind: "project-reopened" });
    expect(await said("/trust yes")).toContain("Nothing");
  });
});
