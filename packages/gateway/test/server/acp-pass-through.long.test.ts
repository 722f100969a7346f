import { describe, expect, test } from "vitest";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { ask } from "../spec/http.ts";
import { connect, connectDirectly, type Message, type RawClient } from "./raw-acp-client.ts";

const plan = (status: string) => [{ content: "Look", priority: "high", status }];

const scenario = {
  initialize: {
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true },
      sessionCapabilities: { additionalDirectories: {}, archive: {}, systemPrompt: {} },
      providers: {},
      auth: { status: {} },
    },
  },
  session: { commands: [{ name: "plan", description: "Make a plan" }] },
  answers: {
    "_vendor/version": { result: { version: 3 } },
    "_vendor/broken": { error: { code: 4711, message: "Not today", data: { until: "noon" } } },
    "_vendor/echo": {
      before: [{ notify: { method: "_vendor/heard", params: { given: "{{params}}" } } }],
      raw: { result: null },
    },
    "_vendor/slow": {
      before: [{ notify: { method: "_vendor/begun", params: {} } }, { wait: 600_000 }],
      result: {},
    },
  },
  turns: [
    {
      match: "work",
      steps: [
        { think: "First " },
        { think: "look." },
        { plan: plan("in_progress") },
        {
          tool: {
            toolCallId: "t1",
            title: "Read",
            kind: "read",
            status: "pending",
            _meta: { "vendor/x": 1 },
          },
        },
        {
          permission: {
            toolCall: { toolCallId: "t1", title: "Read" },
            on: { allow: [{ toolUpdate: { toolCallId: "t1", status: "completed" } }] },
          },
        },
        { plan: plan("completed") },
        { mode: "act" },
        { say: "Done " },
        { say: "it." },
      ],
    },
    {
      match: "extension",
      steps: [
        {
          request: {
            method: "_vendor/ask",
            params: { sessionId: "{{sessionId}}", about: "tea", deep: { kept: true } },
            save: "answer",
          },
        },
        { notify: { method: "_vendor/told", params: { sessionId: "{{sessionId}}", size: 2 } } },
        // Methods of Landline itself are not passed on.
        { notify: { method: "_landline/turn", params: { sessionId: "{{sessionId}}" } } },
        { say: "You want {{answer.choice}}." },
      ],
    },
    {
      match: "refused",
      steps: [
        {
          request: {
            method: "_vendor/ask",
            expect: { error: { code: 4711, message: "No tea", data: { left: 0 } } },
          },
        },
      ],
    },
    {
      match: "many kinds",
      steps: [
        { update: { sessionUpdate: "_vendor_kind", what: { is: "this" } } },
        {
          update: {
            sessionUpdate: "plan_update",
            plan: { type: "markdown", planId: "p", content: "# Plan" },
          },
        },
        { notice: { severity: "info", title: "Note" } },
        {
          update: { sessionUpdate: "compaction_update", compactionId: "c", status: "completed" },
        },
        { update: { sessionUpdate: "subagent_update", sessionId: "child-1", title: "Helper" } },
        { child: "child-1", say: "From the helper." },
        { say: { text: "End.", messageId: "m1" } },
      ],
      end: { stopReason: "end_turn", usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 } },
    },
    { match: "wait", steps: [{ say: "Waiting." }], end: "never" },
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
const withModes = { ...scenario, session: { ...scenario.session, modes } };

const allow = { outcome: { outcome: "selected", optionId: "allow" } };
const asks = ({ method }: Message) => method === "session/request_permission";
const cancels = ({ method }: Message) => method === "$/cancel_request";
const says = (words: string) => (message: Message) => JSON.stringify(message).includes(words);

test("session/load replays what the agent itself would replay", async () => {
  await using gateway = await ScriptedGateway.open({ agent: withModes });
  const story = async (client: RawClient): Promise<string> => {
    client.answer = (request) => (asks(request) ? allow : undefined);
    await client.initialize();
    const sessionId = await client.open(gateway.project);
    await client.prompt(sessionId, "work", " hard");
    await client.prompt(sessionId, "hello");
    return sessionId;
  };
  const loaded = async (client: RawClient, sessionId: string): Promise<unknown[]> => {
    await client.initialize();
    await client.request("session/load", { sessionId, cwd: gateway.project, mcpServers: [] });
    await client.until(says("available_commands_update"));
    return client.messages
      .slice(1)
      .map(({ method = "response", params }) => ({ method, update: params?.["update"] }));
  };
  using direct = connectDirectly(gateway);
  const directId = await story(direct);
  using again = connectDirectly(gateway);
  const expected = await loaded(again, directId);
  using through = await connect(gateway);
  const sessionId = await story(through);
  using late = await connect(gateway);
  expect(await loaded(late, sessionId)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(9);
});

test("passes updates on unchanged to a client that understands them", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  const capabilities = { session: { notices: {}, compaction: {} }, plan: {}, subagents: {} };
  const story = async (client: RawClient) => {
    await client.initialize(capabilities);
    const sessionId = await client.open(gateway.project);
    await client.until(says("available_commands_update"));
    const from = client.messages.length;
    const { _meta, ...response } = await client.prompt(sessionId, "many kinds");
    const children = client.messages
      .slice(from)
      .flatMap(({ params }) => (params?.["sessionId"] === "child-1" ? [params["update"]] : []));
    return { response, updates: client.updates(from), children };
  };
  using direct = connectDirectly(gateway);
  using through = await connect(gateway);
  const expected = await story(direct);
  expect(await story(through)).toEqual(expected);
  expect(expected.updates).toHaveLength(7);
  expect(expected.children).toHaveLength(1);
});

test("declares only what it answers, and answers what it declares", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  using client = await connect(gateway);
  const { agentCapabilities } = await client.initialize();
  expect(agentCapabilities).toEqual({
    _meta: { transport: { resumable: {} } },
    loadSession: true,
    promptCapabilities: { image: true },
    sessionCapabilities: {
      additionalDirectories: {},
      list: {},
      resume: {},
      close: {},
      delete: {},
      fork: {},
      title: {},
      status: {},
    },
  });
  const sessionId = await client.open(gateway.project);
  expect(await client.request("session/set_title", { sessionId, title: "Tea" })).toEqual({
    title: "Tea",
  });
  await client.until(says('"title":"Tea"'));
  expect(await client.request("session/status", { sessionId })).toEqual({ status: "open" });
  await client.request("session/close", { sessionId });
  expect(await client.request("session/status", { sessionId })).toEqual({ status: "saved" });
  await expect(client.request("session/archive", { sessionId })).rejects.toMatchObject({
    code: -32601,
  });
});

describe("methods of extensions", () => {
  test("pass in both directions, with their own results and errors", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using client = await connect(gateway);
    await client.initialize();
    const sessionId = await client.open(gateway.project);
    expect(await client.request("_vendor/version", { sessionId })).toEqual({ version: 3 });
    await expect(client.request("_vendor/broken", { sessionId })).rejects.toMatchObject({
      code: 4711,
      message: "Not today",
      data: { until: "noon" },
    });
    await expect(client.request("_vendor/unknown", { sessionId })).rejects.toMatchObject({
      code: -32601,
    });
    client.answer = ({ method }) => (method === "_vendor/ask" ? { choice: "green" } : undefined);
    await client.prompt(sessionId, "extension");
    const asked = await client.until(({ method }) => method === "_vendor/ask");
    expect(asked.params).toEqual({ sessionId, about: "tea", deep: { kept: true } });
    const told = await client.until(({ method }) => method === "_vendor/told");
    expect(told.params).toEqual({ sessionId, size: 2 });
    expect(client.updates()).toContainEqual({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "You want green." },
    });
    expect(client.messages.filter(({ method }) => method?.startsWith("_landline/"))).toEqual([]);
    await expect(client.request("_landline/turn", { sessionId })).rejects.toMatchObject({
      code: -32601,
    });
  });

  test("keep their params and their result, also where they name no session", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using client = await connect(gateway);
    await client.initialize();
    await client.open(gateway.project);
    const params = { list: [1, { deep: null }], _meta: { x: 1 } };
    expect(await client.request("_vendor/echo", params)).toBeNull();
    const heard = await client.until(({ method }) => method === "_vendor/heard");
    expect(heard.params).toEqual({ given: params });
  });

  test("are answered by a client that has them", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using able = await connect(gateway);
    able.answer = (request) => {
      if (request.method === "_vendor/ask")
        able.refuse(request, { code: 4711, message: "No tea", data: { left: 0 } });
      return undefined;
    };
    await able.initialize();
    const sessionId = await able.open(gateway.project);
    using used = await connect(gateway);
    used.answer = (request) => {
      if (request.method === "_vendor/ask")
        used.refuse(request, { code: -32601, message: "Method not found" });
      return undefined;
    };
    await used.initialize();
    await used.request("session/resume", { sessionId, cwd: gateway.project, mcpServers: [] });
    expect(await used.prompt(sessionId, "refused")).toMatchObject({ stopReason: "end_turn" });
    expect(used.messages.filter(({ method }) => method === "_vendor/ask")).toHaveLength(1);
    expect(able.messages.filter(({ method }) => method === "_vendor/ask")).toHaveLength(1);
  });

  test("can be cancelled, and are refused if the session is not clear", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using client = await connect(gateway);
    await client.initialize();
    const sessionId = await client.open(gateway.project);
    const slow = client.request("_vendor/slow", { sessionId });
    const requestId = client.lastId;
    await client.until(says("_vendor/begun"));
    client.notify("$/cancel_request", { requestId });
    await expect(slow).rejects.toMatchObject({ code: -32800 });
    await client.open(gateway.project);
    await expect(client.request("_vendor/version", {})).rejects.toMatchObject({ code: -32602 });
    expect(await client.request("_vendor/version", { sessionId })).toEqual({ version: 3 });
  });
});

describe("several clients", () => {
  test("a prompt that waits in the queue is answered at the end of its own turn", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using first = await connect(gateway);
    await first.initialize();
    const sessionId = await first.open(gateway.project);
    using second = await connect(gateway);
    await second.initialize();
    await second.request("session/resume", { sessionId, cwd: gateway.project, mcpServers: [] });
    const waiting = first.prompt(sessionId, "wait");
    await second.until(says("Waiting."));
    const queued = second.prompt(sessionId, "second");
    const last = first.prompt(sessionId, "third");
    first.notify("session/cancel", { sessionId });
    expect(await waiting).toMatchObject({ stopReason: "cancelled" });
    // A cancel withdraws the prompts of the client that cancels, and no others.
    expect(await last).toMatchObject({ stopReason: "cancelled" });
    expect(await queued).toMatchObject({ stopReason: "end_turn" });
    await first.until(says("You said second."));
    expect(JSON.stringify(first.updates())).toContain('"user_message_chunk"');
    expect(JSON.stringify(first.updates())).not.toContain("You said third.");
  });

  test("an answer that comes too late changes nothing", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    using late = await connect(gateway);
    await late.initialize();
    const sessionId = await late.open(gateway.project);
    using quick = await connect(gateway);
    await quick.initialize();
    quick.answer = (request) => (asks(request) ? allow : undefined);
    await quick.request("session/resume", { sessionId, cwd: gateway.project, mcpServers: [] });
    const ended = late.prompt(sessionId, "work");
    const asked = await late.until(asks);
    const cancelled = await late.until(cancels);
    expect(cancelled.params).toEqual({ requestId: asked.id });
    late.respond(asked, { outcome: { outcome: "selected", optionId: "reject" } });
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(await late.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(JSON.stringify(late.updates())).toContain('"completed"');
  });
});

describe("signing in", () => {
  const methods = [
    { id: "key", name: "With a key" },
    { id: "console", name: "In a terminal", type: "terminal", args: ["--login"], env: { A: "1" } },
  ];
  const agent = {
    ...scenario,
    authentication: "required",
    initialize: {
      authMethods: methods,
      agentCapabilities: { auth: { logout: {} } },
    },
    answers: {
      authenticate: {
        before: [
          {
            request: {
              method: "elicitation/create",
              params: {
                requestId: "{{requestId}}",
                mode: "form",
                message: "The key?",
                requestedSchema: {
                  type: "object",
                  properties: { key: { type: "string", title: "Key" } },
                },
              },
            },
          },
        ],
      },
    },
  };

  test("asks the client that signs in, and terminal methods run landline acp", async () => {
    await using gateway = await ScriptedGateway.open({ agent });
    using client = await connect(gateway);
    const { authMethods } = await client.initialize({
      auth: { terminal: true },
      elicitation: { form: {} },
    });
    expect(authMethods).toEqual([
      methods[0],
      {
        id: "console",
        name: "In a terminal",
        type: "terminal",
        args: ["--agent", "agent", "--sign-in", "console"],
      },
    ]);
    await expect(client.request("authenticate", { methodId: "console" })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.open(gateway.project)).rejects.toMatchObject({ code: -32000 });
    client.answer = ({ method }) =>
      method === "elicitation/create"
        ? { action: "accept", content: { key: "secret" } }
        : undefined;
    expect(await client.request("authenticate", { methodId: "key" })).toEqual({});
    const asked = await client.until(({ method }) => method === "elicitation/create");
    expect(asked.params).toMatchObject({ message: "The key?", requestId: 3 });
  });

  test("questions are not shown to a client that may not answer them", async () => {
    await using gateway = await ScriptedGateway.open({ agent });
    using admin = await connect(gateway);
    await admin.initialize({ elicitation: { form: {} } });
    const { json } = await ask(gateway, "POST", "/devices", { name: "Editor", role: "control" });
    using other = await connect(gateway, "agent", String(json["token"]));
    await other.initialize({ elicitation: { form: {} } });
    const signedIn = admin.request("authenticate", { methodId: "key" });
    const asked = await admin.until(({ method }) => method === "elicitation/create");
    await expect(other.request("authenticate", { methodId: "key" })).rejects.toMatchObject({
      data: { reason: "forbidden" },
    });
    admin.respond(asked, { action: "accept", content: { key: "secret" } });
    expect(await signedIn).toEqual({});
    expect(other.messages.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test("a client without terminals is not offered terminal methods", async () => {
    await using gateway = await ScriptedGateway.open({ agent });
    using client = await connect(gateway);
    const { authMethods } = await client.initialize();
    expect(authMethods).toEqual([methods[0]]);
  });
});
