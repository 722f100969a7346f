import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { openAgent, scratchFolder, startAgent, type AgentProcess } from "./agent-process.ts";
import { errorOf, resultOf } from "./wire-client.ts";

const capable = {
  initialize: {
    agentCapabilities: {
      loadSession: true,
      auth: { logout: {} },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
    },
    authMethods: [{ id: "key", name: "Key" }],
  },
  turns: [
    {
      steps: [
        { think: "hm" },
        { tool: { toolCallId: "t", title: "T" } },
        { usage: { used: 1, size: 2 } },
        { say: "hi" },
      ],
    },
  ],
};

const opening = { cwd: "/repo", mcpServers: [] };

async function code(agent: AgentProcess, method: string, params: JsonObject): Promise<unknown> {
  return errorOf(await agent.request(method, params))["code"];
}

describe("initialize", () => {
  test("returns its own version for any requested one", async () => {
    await using agent = startAgent({
      initialize: { agentInfo: { name: "x", version: "1" } },
      turns: [],
    });
    const answer = await agent.request("initialize", { protocolVersion: 65_535 });
    expect(resultOf(answer)).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "x", version: "1" },
    });
    expect(await code(agent, "initialize", {})).toBe(-32602);
  });

  test("can be slow", async () => {
    await using agent = startAgent({
      answers: { initialize: { delayMs: 300 }, "session/new": { delayMs: 200 } },
      turns: [],
    });
    const startedAt = performance.now();
    await agent.initialize();
    await agent.newSession();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(499);
  });
});

describe("authentication", () => {
  test("is required until authenticate, and again after logout", async () => {
    await using agent = startAgent({ ...capable, authentication: "required" });
    await agent.initialize();
    expect(await code(agent, "session/new", opening)).toBe(-32000);
    expect(await code(agent, "authenticate", { methodId: "other" })).toBe(-32602);
    expect(resultOf(await agent.request("authenticate", { methodId: "key" }))).toEqual({});
    const sessionId = await agent.newSession();
    await agent.prompt(sessionId, "go");
    expect(resultOf(await agent.request("logout"))).toEqual({});
    expect(await code(agent, "session/prompt", { sessionId, prompt: [] })).toBe(-32000);
  });
});

describe("load and resume", () => {
  const replay = ["user_message_chunk", "agent_thought_chunk", "tool_call", "agent_message_chunk"];

  async function loaded(session: JsonObject) {
    await using opened = await openAgent({ ...capable, session });
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "go");
    const from = agent.messages.length;
    const load = await agent.request("session/load", { sessionId, ...opening });
    await agent.request("no/such");
    const messages = agent.messages.slice(from, -1);
    const kinds = messages.map((message) => {
      const params = message["params"] as { update: { sessionUpdate: string } } | undefined;
      return params?.update.sessionUpdate ?? "response";
    });
    return { load, kinds };
  }

  test.each([
    ["before", [...replay, "response"]],
    ["after", ["response", ...replay]],
    ["first-before", [replay[0], "response", ...replay.slice(1)]],
    ["none", ["response"]],
  ])("replays the conversation: %s", async (order, expected) => {
    const { load, kinds } = await loaded({ replay: order });
    expect(kinds).toEqual(expected);
    expect(resultOf(load)).not.toHaveProperty("sessionId");
  });

  test("replays only the configured kinds", async () => {
    const { kinds } = await loaded({ replayKinds: ["agent_message_chunk"] });
    expect(kinds).toEqual(["agent_message_chunk", "response"]);
  });

  test("a restarted agent loads stored sessions, and continues with the next turn", async () => {
    const scenario = { ...capable, turns: [...capable.turns, { steps: [{ say: "second turn" }] }] };
    const state = scratchFolder("kept");
    let id = "";
    {
      await using opened = await openAgent(scenario, { state });
      id = opened.sessionId;
      await opened.agent.prompt(id, "remember me");
    }
    await using agent = startAgent(scenario, { state });
    await agent.initialize();
    expect(await code(agent, "session/prompt", { sessionId: id, prompt: [] })).toBe(-32002);
    await agent.request("session/load", { sessionId: id, ...opening });
    expect(agent.updates(id)[0]).toMatchObject({ content: { text: "remember me" } });
    await agent.prompt(id, "go on");
    expect(agent.said()).toBe("hisecond turn");
  });

  test("resume restores a session without a replay", async () => {
    const state = scratchFolder("resumed");
    let id = "";
    {
      await using opened = await openAgent(capable, { state });
      id = opened.sessionId;
      await opened.agent.prompt(id, "go");
    }
    await using agent = startAgent(capable, { state });
    await agent.initialize();
    expect(resultOf(await agent.request("session/resume", { sessionId: id, ...opening }))).toEqual(
      {},
    );
    expect(agent.updates()).toEqual([]);
    expect(resultOf(await agent.prompt(id, "go"))["stopReason"]).toBe("end_turn");
  });

  test("an unknown id is refused as configured, or accepted as an empty session", async () => {
    const stranger = { sessionId: "stranger", ...opening };
    await using usual = await openAgent(capable);
    expect(await code(usual.agent, "session/load", stranger)).toBe(-32002);
    const session = {
      notFound: { code: -32603, message: "?" },
      loadUnknown: { code: -32602, message: "?" },
    };
    await using odd = await openAgent({ ...capable, session });
    expect(await code(odd.agent, "session/load", stranger)).toBe(-32602);
    expect(await code(odd.agent, "session/prompt", { ...stranger, prompt: [] })).toBe(-32603);
    await using easy = await openAgent({ ...capable, session: { loadUnknown: "accept" } });
    expect(resultOf(await easy.agent.request("session/load", stranger))).toEqual({});
    await easy.agent.prompt("stranger", "go");
    expect(easy.agent.said()).toBe("hi");
  });

  test("a session is deleted once it was resumed, or at the next start once it was loaded", async () => {
    await using resumed = await openAgent({ ...capable, session: { forgets: "resumed" } });
    const again = { sessionId: resumed.sessionId, ...opening };
    expect(resultOf(await resumed.agent.request("session/resume", again))).toEqual({});
    expect(await code(resumed.agent, "session/prompt", { ...again, prompt: [] })).toBe(-32002);

    const state = scratchFolder("forgotten");
    const scenario = { ...capable, session: { forgets: "loaded" } };
    let id = "";
    {
      await using opened = await openAgent(scenario, { state });
      id = opened.sessionId;
      await opened.agent.request("session/load", { sessionId: id, ...opening });
      expect(resultOf(await opened.agent.prompt(id, "go"))["stopReason"]).toBe("end_turn");
    }
    await using agent = startAgent(scenario, { state });
    await agent.initialize();
    expect(await code(agent, "session/load", { sessionId: id, ...opening })).toBe(-32002);
  });

  test("methods that are not offered do not exist", async () => {
    await using opened = await openAgent({ turns: [] });
    const { agent, sessionId } = opened;
    for (const method of ["load", "resume", "list", "close", "delete", "fork"]) {
      expect(await code(agent, `session/${method}`, { sessionId, ...opening })).toBe(-32601);
    }
    for (const method of ["session/set_mode", "session/set_model", "session/set_config_option"]) {
      expect(await code(agent, method, { sessionId })).toBe(-32601);
    }
    expect(await code(agent, "logout", {})).toBe(-32601);
  });
});

describe("list, close, delete and fork", () => {
  test("list returns pages, and sessions of one folder", async () => {
    await using agent = startAgent({ ...capable, session: { ids: ["a", "b", "c"], pageSize: 2 } });
    await agent.initialize();
    for (const cwd of ["/one", "/two", "/one"]) await agent.newSession(cwd);
    const idsOf = (answer: JsonObject) =>
      (resultOf(answer)["sessions"] as { sessionId: string }[]).map(({ sessionId }) => sessionId);
    const first = await agent.request("session/list");
    expect(idsOf(first)).toEqual(["a", "b"]);
    const { nextCursor: cursor } = resultOf(first);
    const second = await agent.request("session/list", { cursor });
    expect(idsOf(second)).toEqual(["c"]);
    expect(resultOf(second)).not.toHaveProperty("nextCursor");
    expect(idsOf(await agent.request("session/list", { cwd: "/one" }))).toEqual(["a", "c"]);
    expect(await code(agent, "session/list", { cursor: "made-up" })).toBe(-32602);
  });

  test("close ends the running turn, and the session can be loaded again", async () => {
    await using opened = await openAgent({ ...capable, turns: [{ steps: [], end: "never" }] });
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, "go");
    expect(resultOf(await agent.request("session/close", { sessionId }))).toEqual({});
    expect(resultOf(await agent.answerTo(prompt))["stopReason"]).toBe("cancelled");
    expect(await code(agent, "session/prompt", { sessionId, prompt: [] })).toBe(-32002);
    expect(errorOf(await agent.request("session/load", { sessionId, ...opening }))).toEqual({});
  });

  test("delete removes a session, and may be repeated", async () => {
    await using opened = await openAgent(capable, { state: scratchFolder("deleted") });
    const { agent, sessionId } = opened;
    expect(resultOf(await agent.request("session/delete", { sessionId }))).toEqual({});
    expect(errorOf(await agent.request("session/delete", { sessionId }))).toEqual({});
    expect(await code(agent, "session/load", { sessionId, ...opening })).toBe(-32002);
  });

  test("fork creates a new session with the history of the other", async () => {
    await using opened = await openAgent(capable);
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "go");
    const fork = resultOf(await agent.request("session/fork", { sessionId, ...opening }));
    expect(fork["sessionId"]).not.toBe(sessionId);
    const id = String(fork["sessionId"]);
    await agent.request("session/load", { sessionId: id, ...opening });
    expect(agent.updates(id)).toHaveLength(4);
  });

  test("fork accepts a closed session, but not an unknown one", async () => {
    await using opened = await openAgent(capable);
    const { agent, sessionId } = opened;
    await agent.request("session/close", { sessionId });
    const fork = await agent.request("session/fork", { sessionId, ...opening });
    expect(resultOf(fork)["sessionId"]).not.toBe(sessionId);
    expect(await code(agent, "session/fork", { sessionId: "x", ...opening })).toBe(-32002);
  });
});

describe("options", () => {
  const session = {
    modes: {
      currentModeId: "a",
      availableModes: [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ],
    },
    models: {
      currentModelId: "m",
      availableModels: [
        { modelId: "m", name: "M" },
        { modelId: "n", name: "N" },
      ],
    },
    configOptions: [
      {
        id: "level",
        name: "Level",
        type: "select",
        currentValue: "low",
        options: [
          {
            group: "g",
            name: "G",
            options: [
              { value: "low", name: "Low" },
              { value: "high", name: "High" },
            ],
          },
        ],
      },
      { id: "fast", name: "Fast", type: "boolean", currentValue: false },
    ],
    commands: [{ name: "go", description: "{{sessionId}}" }],
  };

  test("are returned by new and load, and set by three methods", async () => {
    const capabilities = { session: { configOptions: { boolean: {} } } };
    await using opened = await openAgent({ ...capable, session }, { capabilities });
    const { agent, sessionId } = opened;
    const created = agent.messages.find((message) => resultOf(message)["sessionId"] === sessionId);
    expect(resultOf(created!)).toMatchObject({
      modes: session.modes,
      models: session.models,
      configOptions: session.configOptions,
    });
    const update = await agent.until(({ method }) => method === "session/update");
    expect(agent.messages.indexOf(created!)).toBeLessThan(agent.messages.indexOf(update));
    expect(update).toMatchObject({
      params: { update: { availableCommands: [{ name: "go", description: sessionId }] } },
    });
    expect(resultOf(await agent.request("session/set_mode", { sessionId, modeId: "b" }))).toEqual(
      {},
    );
    expect(resultOf(await agent.request("session/set_model", { sessionId, modelId: "n" }))).toEqual(
      {},
    );
    const high = { sessionId, configId: "level", value: "high" };
    const [level, fast] = session.configOptions;
    expect(resultOf(await agent.request("session/set_config_option", high))).toEqual({
      configOptions: [{ ...level, currentValue: "high" }, fast],
    });
    const on = { sessionId, configId: "fast", type: "boolean", value: true };
    expect(resultOf(await agent.request("session/set_config_option", on))).toEqual({
      configOptions: [
        { ...level, currentValue: "high" },
        { ...fast, currentValue: true },
      ],
    });
    expect(resultOf(await agent.request("session/load", { sessionId, ...opening }))).toMatchObject({
      modes: { currentModeId: "b" },
      models: { currentModelId: "n" },
    });
    expect(await code(agent, "session/set_mode", { sessionId, modeId: "z" })).toBe(-32602);
    expect(await code(agent, "session/set_model", { sessionId, modelId: "z" })).toBe(-32602);
    expect(await code(agent, "session/set_config_option", { ...high, value: "z" })).toBe(-32602);
    expect(await code(agent, "session/set_config_option", { ...on, value: "true" })).toBe(-32602);
  });

  test("mode and model stay in agreement with the options of their category", async () => {
    const option = (id: string, category: string, values: readonly string[]) => ({
      id,
      name: id,
      category,
      type: "select",
      currentValue: values[0],
      options: values.map((value) => ({ value, name: value })),
    });
    const configOptions = [option("x", "mode", ["a", "b"]), option("y", "model", ["m", "n"])];
    await using opened = await openAgent({ ...capable, session: { ...session, configOptions } });
    const { agent, sessionId } = opened;
    const state = async () => {
      const loaded = resultOf(await agent.request("session/load", { sessionId, ...opening }));
      const options = loaded["configOptions"] as { currentValue: unknown }[];
      return [loaded["modes"], loaded["models"], options.map(({ currentValue }) => currentValue)];
    };
    await agent.request("session/set_mode", { sessionId, modeId: "b" });
    await agent.request("session/set_model", { sessionId, modelId: "n" });
    expect(await state()).toMatchObject([
      { currentModeId: "b" },
      { currentModelId: "n" },
      ["b", "n"],
    ]);
    await agent.request("session/set_config_option", { sessionId, configId: "x", value: "a" });
    await agent.request("session/set_config_option", { sessionId, configId: "y", value: "m" });
    expect(await state()).toMatchObject([
      { currentModeId: "a" },
      { currentModelId: "m" },
      ["a", "m"],
    ]);
  });

  test("boolean ones are hidden from a client that does not support them", async () => {
    await using shy = await openAgent({ ...capable, session });
    expect(JSON.stringify(shy.agent.messages)).not.toContain("Fast");
    await using bold = await openAgent({
      ...capable,
      session: { ...session, booleanOptions: "always" },
    });
    expect(JSON.stringify(bold.agent.messages)).toContain("Fast");
  });
});

describe("answers", () => {
  test("can be refused, replaced, extended, repeated, or omitted", async () => {
    const error = { code: -32603, message: "not today" };
    const answers = {
      "session/new": [{ times: 1, error }, { add: { _meta: { id: "{{sessionId}}" } } }],
      "session/set_config_option": { match: { configId: "locked" }, error },
      "_vendor/extra": { result: { pid: "{{pid}}" } },
      "session/set_title": { result: { title: "{{params.title}}" }, after: [{ title: "T" }] },
      "session/list": { raw: { result: {}, error } },
      "session/close": { never: true },
    };
    await using agent = startAgent({ ...capable, answers });
    await agent.initialize();
    expect(errorOf(await agent.request("session/new", opening))).toEqual(error);
    const created = resultOf(await agent.request("session/new", opening));
    expect(created["_meta"]).toEqual({ id: created["sessionId"] });
    const locked = { sessionId: created["sessionId"], configId: "locked", value: "x" };
    expect(await code(agent, "session/set_config_option", locked)).toBe(-32603);
    expect(await code(agent, "session/set_config_option", { ...locked, configId: "y" })).toBe(
      -32601,
    );
    expect(resultOf(await agent.request("_vendor/extra"))).toEqual({ pid: agent.child.pid });
    const titled = { sessionId: created["sessionId"], title: "T" };
    expect(resultOf(await agent.request("session/set_title", titled))).toEqual({ title: "T" });
    await agent.until(({ method }) => method === "session/update");
    expect(await agent.request("session/list")).toMatchObject({ result: {}, error });
    const lost = agent.send("session/close", { sessionId: created["sessionId"] });
    await agent.request("no/such");
    expect(agent.messages.some(({ id }) => id === lost)).toBe(false);
  });

  test("can have steps before and after them", async () => {
    const answers = {
      "session/new": { before: [{ say: "early {{sessionId}}" }], after: [{ say: "late" }] },
    };
    await using opened = await openAgent({ answers, turns: [] });
    const { agent, sessionId } = opened;
    await agent.settled(() => agent.said().endsWith("late"));
    const order = agent.messages.map(({ method }) => method ?? "response");
    expect(order).toEqual(["response", "session/update", "response", "session/update"]);
    expect(agent.said()).toBe(`early ${sessionId}late`);
  });
});
