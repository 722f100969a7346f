import { describe, expect, test } from "vitest";
import { openAgent, startAgent } from "./agent-process.ts";
import { resultOf } from "./wire-client.ts";

async function updatesOf(steps: readonly unknown[], session: object = {}): Promise<unknown[]> {
  await using opened = await openAgent({ session, turns: [{ steps }] });
  const { agent, sessionId } = opened;
  expect(resultOf(await agent.prompt(sessionId, "go"))).toEqual({ stopReason: "end_turn" });
  return agent.updates(sessionId);
}

describe("text", () => {
  test("say, think and hear send chunks, whole or in pieces", async () => {
    const updates = await updatesOf([
      { say: "whole" },
      { think: { text: "a😀bc", chunkChars: 2, messageId: "m" } },
      { hear: { content: { type: "image", mimeType: "image/png", data: "AA==" } } },
    ]);
    const text = (value: string) => ({ type: "text", text: value });
    expect(updates).toEqual([
      { sessionUpdate: "agent_message_chunk", content: text("whole") },
      { sessionUpdate: "agent_thought_chunk", messageId: "m", content: text("a😀") },
      { sessionUpdate: "agent_thought_chunk", messageId: "m", content: text("bc") },
      {
        sessionUpdate: "user_message_chunk",
        content: { type: "image", mimeType: "image/png", data: "AA==" },
      },
    ]);
  });

  test("templates know the session, the folder, the prompt and the process", async () => {
    await using opened = await openAgent(
      {
        turns: [
          {
            steps: [{ say: "{{sessionId}} {{cwd}} {{prompt}} {{pid}} {{client.protocolVersion}}" }],
          },
        ],
      },
      { cwd: "/some/where" },
    );
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "{{pid}}");
    expect(agent.said()).toBe(`${sessionId} /some/where {{pid}} ${agent.child.pid} 1`);
  });

  test("an unknown template name fails the turn with a message", async () => {
    await using opened = await openAgent({ turns: [{ steps: [{ say: "{{nothing.here}}" }] }] });
    const { agent, sessionId } = opened;
    const answer = await agent.prompt(sessionId, "go");
    expect(answer["error"]).toMatchObject({ code: -32603 });
    await agent.settled(() => agent.stderr.includes("{{nothing.here}}"));
  });
});

describe("flood", () => {
  test("sends the given number, size and message id", async () => {
    const flood = { count: 5, bytes: 10, messageId: "f", as: "think", perWrite: 2 };
    const updates = await updatesOf([{ flood }]);
    expect(updates).toHaveLength(5);
    expect(updates[4]).toEqual({
      sessionUpdate: "agent_thought_chunk",
      messageId: "f",
      content: { type: "text", text: "4 xxxxxxxx" },
    });
  });

  test("observes its rate", async () => {
    const startedAt = performance.now();
    await updatesOf([{ flood: { count: 21, perSecond: 40 } }]);
    expect(performance.now() - startedAt).toBeGreaterThan(490);
  });
});

describe("state", () => {
  const modes = {
    currentModeId: "a",
    availableModes: [
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ],
  };
  const options = [
    { value: "a", name: "A" },
    { value: "b", name: "B" },
  ];
  const option = {
    id: "m",
    name: "M",
    category: "mode",
    type: "select",
    currentValue: "a",
    options,
  };

  test("mode and config notify the client, and stay in agreement", async () => {
    const setup = { modes, configOptions: [option] };
    const updates = await updatesOf([{ mode: "b" }, { config: { m: "a" } }], setup);
    expect(updates).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "b" },
      { sessionUpdate: "config_option_update", configOptions: [{ ...option, currentValue: "a" }] },
    ]);
    await using opened = await openAgent({ session: setup, turns: [{ steps: [{ mode: "b" }] }] });
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "go");
    const params = { sessionId, configId: "m", value: "b" };
    const set = await agent.request("session/set_config_option", params);
    expect(resultOf(set)["configOptions"]).toEqual([{ ...option, currentValue: "b" }]);
  });

  test("the others send the update that they are named after", async () => {
    const updates = await updatesOf([
      { plan: [{ content: "x", priority: "low", status: "pending" }] },
      { usage: { used: 1, size: 2 } },
      { title: "T" },
      { commands: [{ name: "c", description: "d" }] },
      { notice: { severity: "info", title: "n" } },
      { tool: { toolCallId: "t", title: "x" } },
      { toolUpdate: { toolCallId: "t", status: "failed" } },
      { update: { sessionUpdate: "anything" } },
    ]);
    expect(updates).toEqual([
      { sessionUpdate: "plan", entries: [{ content: "x", priority: "low", status: "pending" }] },
      { sessionUpdate: "usage_update", used: 1, size: 2 },
      { sessionUpdate: "session_info_update", title: "T" },
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "c", description: "d" }],
      },
      { sessionUpdate: "notice", severity: "info", title: "n" },
      { sessionUpdate: "tool_call", toolCallId: "t", title: "x" },
      { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" },
      { sessionUpdate: "anything" },
    ]);
  });

  test("environment reports the variables of the process, braces included", async () => {
    const scenario = {
      turns: [{ steps: [{ environment: true }] }, { steps: [{ environment: ["SECRET", "ODD"] }] }],
    };
    const env = { PATH: process.env["PATH"], ODD: "{{pid}}" };
    await using agent = startAgent(scenario, { env });
    await agent.initialize();
    const sessionId = await agent.newSession();
    await agent.prompt(sessionId, "all");
    expect(JSON.parse(agent.said())).toMatchObject(env);
    expect(agent.said()).not.toContain("SECRET");
    const before = agent.said().length;
    await agent.prompt(sessionId, "some");
    expect(JSON.parse(agent.said().slice(before))).toEqual({ SECRET: null, ODD: "{{pid}}" });
  });
});
