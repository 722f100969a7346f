import { describe, expect, test } from "vitest";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { connect, connectDirectly, type Message, type RawClient } from "./raw-acp-client.ts";

const scenario = {
  initialize: {
    agentCapabilities: { loadSession: true, sessionCapabilities: { fork: {}, resume: {} } },
  },
  session: { commands: [{ name: "plan", description: "Make a plan" }] },
  turns: [
    { match: "count", steps: [{ usage: { used: 1, size: 2, cost: null } }] },
    {
      match: "fail",
      steps: [],
      end: { error: { code: -32603, message: "The model is overloaded" } },
    },
    { match: "/./", steps: [{ say: "You said {{prompt}}." }] },
  ],
};

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "act", name: "Act" },
  ],
};

const says = (words: string) => (message: Message) => JSON.stringify(message).includes(words);

describe("modes, options and commands", () => {
  const option = (id: string, currentValue: string, category?: string) => ({
    id,
    name: id,
    type: "select",
    currentValue,
    ...(category && { category }),
    options: [
      { value: "ask", name: "Ask" },
      { value: "act", name: "Act" },
    ],
  });
  const agent = {
    ...scenario,
    session: {
      ...scenario.session,
      modes,
      configOptions: [option("mode", "ask", "mode"), option("depth", "ask")],
    },
    answers: { "session/set_mode": [{ times: 1 }, { after: [{ mode: "{{params.modeId}}" }] }] },
  };

  test("are told to the client that chooses them as the agent tells them", async () => {
    await using gateway = await ScriptedGateway.open({ agent });
    const story = async (client: RawClient) => {
      await client.initialize({ session: { configOptions: { boolean: {} } } });
      const sessionId = await client.open(gateway.project);
      await client.until(says("available_commands_update"));
      const from = client.messages.length;
      const cwd = gateway.project;
      await client.request("session/set_mode", { sessionId, modeId: "act" });
      await client.request("session/set_mode", { sessionId, modeId: "ask" });
      const chosen: unknown[] = [];
      for (const configId of ["depth", "mode"])
        for (const value of ["act", "ask"])
          chosen.push(
            await client.request("session/set_config_option", { sessionId, configId, value }),
          );
      await client.prompt(sessionId, "hello");
      const { sessionId: id, ...fork } = await client.request("session/fork", {
        sessionId,
        cwd,
        mcpServers: [],
      });
      await client.until(says("available_commands_update"), from);
      await client.prompt(String(id), "hello again");
      return { chosen, modes: fork["modes"], updates: client.updates(from) };
    };
    using direct = connectDirectly(gateway);
    using through = await connect(gateway);
    const expected = await story(direct);
    expect(await story(through)).toEqual(expected);
  });

  test("are told once to the other clients", async () => {
    await using gateway = await ScriptedGateway.open({ agent });
    using client = await connect(gateway);
    await client.initialize();
    const sessionId = await client.open(gateway.project);
    using other = await connect(gateway);
    await other.initialize();
    await other.request("session/resume", { sessionId, cwd: gateway.project, mcpServers: [] });
    await other.until(says("available_commands_update"));
    const from = other.messages.length;
    await client.request("session/set_mode", { sessionId, modeId: "act" });
    await client.request("session/set_config_option", {
      sessionId,
      configId: "depth",
      value: "act",
    });
    await client.prompt(sessionId, "hello");
    await other.until(says("You said hello."));
    const synced = option("mode", "act", "mode");
    expect(other.updates(from)).toMatchObject([
      { sessionUpdate: "current_mode_update", currentModeId: "act" },
      { configOptions: [synced, option("depth", "ask")] },
      { configOptions: [synced, option("depth", "act")] },
      { sessionUpdate: "user_message_chunk" },
      { sessionUpdate: "agent_message_chunk" },
    ]);
  });

  test("boolean options are sent only to clients that have them", async () => {
    const boolean = { id: "fast", name: "Fast", type: "boolean", currentValue: true };
    const configOptions = [option("depth", "ask"), boolean];
    await using gateway = await ScriptedGateway.open({
      agent: { ...scenario, session: { configOptions } },
    });
    const open = async (capabilities: object) => {
      using client = await connect(gateway);
      await client.initialize(capabilities);
      const params = { cwd: gateway.project, mcpServers: [] };
      const { sessionId, configOptions: shown } = await client.request("session/new", params);
      const config = { sessionId, configId: "depth", value: "act" };
      return [shown, (await client.request("session/set_config_option", config))["configOptions"]];
    };
    const able = await open({ session: { configOptions: { boolean: {} } } });
    expect(able).toEqual([configOptions, [option("depth", "act"), boolean]]);
    expect(await open({})).toEqual([[option("depth", "ask")], [option("depth", "act")]]);
  });
});

test("a client that loads a session receives the usage as the agent reported it", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  using client = await connect(gateway);
  await client.initialize();
  const sessionId = await client.open(gateway.project);
  await client.prompt(sessionId, "count");
  using late = await connect(gateway);
  await late.initialize();
  await late.request("session/load", { sessionId, cwd: gateway.project, mcpServers: [] });
  await late.until(says("usage_update"));
  const counted = { sessionUpdate: "usage_update", used: 1, size: 2 };
  expect(client.updates()).toContainEqual({ ...counted, cost: null });
  expect(late.updates()).toContainEqual(counted);
});

test("the notice of a failed turn says that the agent failed", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  using client = await connect(gateway);
  await client.initialize({ session: { notices: {} } });
  const sessionId = await client.open(gateway.project);
  await expect(client.prompt(sessionId, "fail")).rejects.toThrow("The model is overloaded");
  expect(client.updates()).toContainEqual({
    sessionUpdate: "notice",
    severity: "error",
    title: "The model is overloaded",
    description: expect.stringMatching(/^The agent reported this error\. Try again\./),
  });
});
