import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { mcpServerCommand } from "@landline/testing/mcp-servers";
import { expect, test } from "vitest";
import { refusal, ConnectedClient } from "./connected-client.ts";

function toolServer() {
  const { command, args } = mcpServerCommand("tools");
  return { name: "things", command, args: [...args], env: [] };
}

test("the question tool is offered only to clients that can show a form", async () => {
  await using client = await ConnectedClient.make("elicitation");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "ask Which colour? red, blue");
  expect(client.persona.questions).toMatchObject([
    { mode: "form", sessionId, message: "Which colour?", requestedSchema: { type: "object" } },
  ]);
  expect(JSON.stringify(client.updates("tool_call_update").at(-1))).toContain("red");
  expect(client.persona.wire.faults()).toEqual([]);

  await using bare = await ConnectedClient.make("bare");
  const other = await bare.persona.open(bare.cwd);
  await bare.persona.prompt(other.sessionId, "ask Which colour? red, blue");
  expect(bare.updates("tool_call")).toEqual([]);
});

test.each(["decline", "cancel"] as const)(
  "a form that ends in %s counts as no answer",
  async (action) => {
    await using client = await ConnectedClient.make("elicitation");
    client.persona.answerForm = () => ({ action });
    const { sessionId } = await client.persona.open(client.cwd);
    await client.persona.prompt(sessionId, "ask Which colour? red, blue");
    const { rawOutput } = client.updates("tool_call_update").at(-1) ?? {};
    expect(JSON.stringify(rawOutput)).toContain("did not answer");
  },
);

test("a question of an MCP server reaches the person, under the server's name", async () => {
  await using client = await ConnectedClient.make("elicitation");
  client.persona.answerForm = () => ({ action: "accept", content: { colour: "green" } });
  const { sessionId } = await client.persona.open(client.cwd, [toolServer()]);
  await client.persona.prompt(sessionId, "mcp things.question {}");
  expect(client.persona.questions).toMatchObject([
    { mode: "form", sessionId, message: "things: Which colour?" },
  ]);
  expect(client.persona.permissions).toHaveLength(1);
  expect(JSON.stringify(client.updates("tool_call_update").at(-1))).toContain("green");
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a server is told that nobody can be asked if the client shows no forms", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd, [toolServer()]);
  const answer = await client.persona.prompt(sessionId, "mcp things.question {}");
  expect(answer.stopReason).toBe("end_turn");
  expect(client.persona.questions).toEqual([]);
});

test("an MCP server that can't be started is reported, and affects nothing else", async () => {
  await using client = await ConnectedClient.make("full");
  const server = { name: "gone", command: "/no/such/program", args: [], env: [] };
  const { sessionId } = await client.persona.open(client.cwd, [server]);
  const notice = await client.persona.wire.until((message) =>
    JSON.stringify(message).includes("The MCP server gone can't be used"),
  );
  expect(notice).toMatchObject({ params: { update: { sessionUpdate: "notice" } } });
  expect(await client.persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
});

test("a problem in a config file is shown as a notice, or as a message for clients without notices", async () => {
  const files = { "landline.json": '{"model": 5}' };
  await using client = await ConnectedClient.make("full", { files });
  await client.persona.open(client.cwd);
  await client.persona.wire.until((message) => JSON.stringify(message).includes("landline.json"));
  expect(client.updates("notice")).toMatchObject([{ severity: "warning" }]);

  await using bare = await ConnectedClient.make("bare", { files });
  await bare.persona.open(bare.cwd);
  await bare.persona.wire.until((message) => JSON.stringify(message).includes("landline.json"));
  expect(bare.said()).toContain("A part of the configuration was left out");
});

test("leaving plan mode asks once, and changes mode and permissions together", async () => {
  await using planner = await ConnectedClient.make("bare", {
    script: [
      { calls: [{ tool: "plan_exit", input: { plan: "# Do it" } }] },
      { say: "I am building." },
    ],
  });
  planner.persona.answerPermission = () => "build-accepting-edits";
  const { sessionId } = await planner.persona.open(planner.cwd);
  await planner.persona.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await planner.persona.prompt(sessionId, "go");
  expect(planner.persona.permissions).toMatchObject([
    { toolCall: { kind: "switch_mode", content: [{ content: { text: "# Do it" } }] } },
  ]);
  expect(planner.updates("current_mode_update").at(-1)).toMatchObject({ currentModeId: "build" });
  const options = planner.updates("config_option_update").at(-1)?.["configOptions"];
  expect(options).toMatchObject([{ currentValue: "build" }, {}, { currentValue: "accept-edits" }]);
});

test("signing in with a form stores the key, and the models are available immediately", async () => {
  await using client = await ConnectedClient.make("elicitation");
  const { sessionId } = await client.persona.open(client.cwd);
  client.persona.answerForm = () => ({
    action: "accept",
    content: { provider: "anthropic", key: "sk-ant-12345678" },
  });
  expect(await client.persona.agent.request("authenticate", { methodId: "api-key" })).toEqual({
    _meta: { "landline/keys": [{ provider: "anthropic", name: "Anthropic" }] },
  });
  expect(client.persona.questions).toMatchObject([{ mode: "form" }]);
  await client.persona.wire.until((message) =>
    JSON.stringify(message).includes("config_option_update"),
  );
  expect(await client.persona.agent.request("logout", {})).toEqual({
    _meta: { "landline/keys": [] },
  });
  const stored = join(client.home, ".config/landline/agent-credentials.json");
  expect(await readFile(stored, "utf8")).not.toContain("sk-ant");
  await client.persona.prompt(sessionId, "think");
  expect(
    JSON.stringify(client.persona.wire.messages.filter(({ from }) => from === "agent")),
  ).not.toContain("sk-ant");
  expect(client.persona.wire.faults()).toEqual([]);
});

test("signing in without a form reads the environment again, and reports what is missing", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const refused = await refusal(agent.request("authenticate", { methodId: "api-key" }));
  expect(refused).toMatchObject({ code: -32000, data: { reason: "sign-in-needed" } });
  expect(await refusal(agent.request("authenticate", { methodId: "x" }))).toMatchObject({
    code: -32602,
    data: { reason: "unknown-method" },
  });
  const folder = join(client.home, ".config/landline");
  await mkdir(folder, { recursive: true });
  // As `landline agent login` stores it, in another process.
  const keys = { version: 1, keys: { openai: "sk-12345678" } };
  await writeFile(join(folder, "agent-credentials.json"), JSON.stringify(keys));
  expect(await agent.request("authenticate", { methodId: "login" })).toMatchObject({
    _meta: { "landline/keys": [{ provider: "openai" }] },
  });
});

test("signing out deletes keys that another process stored, and ignores invalid entries", async () => {
  const environment = { XAI_API_KEY: "xai-12345678" };
  await using client = await ConnectedClient.connect("bare", { environment });
  const ofEnvironment = { provider: "xai", name: "xAI", variable: "XAI_API_KEY" };
  expect(await client.persona.initialize()).toMatchObject({
    _meta: { "landline/keys": [ofEnvironment] },
  });
  const { agent } = client.persona;
  const stored = join(client.home, ".config/landline/agent-credentials.json");
  await mkdir(join(client.home, ".config/landline"), { recursive: true });
  await writeFile(stored, JSON.stringify({ version: 1, keys: { openai: "sk-12345678" } }));
  expect(await agent.request("logout", {})).toEqual({
    _meta: { "landline/keys": [ofEnvironment] },
  });
  expect(await readFile(stored, "utf8")).not.toContain("sk-12345678");
  await writeFile(stored, "sk-12345678");
  const refused = await refusal(agent.request("logout", {}));
  expect(refused).toMatchObject({
    code: -32603,
    message: expect.stringContaining("It is not JSON"),
  });
  expect(refused).not.toMatchObject({ message: expect.stringContaining("sk-12345678") });
  expect(await readFile(stored, "utf8")).toBe("sk-12345678");
});

test("a form that nobody fills in cancels the request", async () => {
  await using client = await ConnectedClient.make("elicitation");
  client.persona.answerForm = () => ({ action: "decline" });
  const asked = client.persona.agent.request("authenticate", { methodId: "api-key" });
  expect(await refusal(asked)).toMatchObject({ code: -32800 });
});

test("only sign-in methods that the client supports are offered", async () => {
  await using full = await ConnectedClient.connect("full");
  expect((await full.persona.initialize()).authMethods).toMatchObject([
    { id: "api-key" },
    { type: "terminal", id: "login", args: ["login"] },
  ]);
  await using legacy = await ConnectedClient.connect("legacy");
  const [, older] = (await legacy.persona.initialize()).authMethods ?? [];
  expect(older).toMatchObject({
    id: "login",
    _meta: { "terminal-auth": { command: process.execPath, label: expect.any(String) } },
  });
  expect(JSON.stringify(older)).toMatch(/"args":\[[^\]]*"login"\]/);
  await using bare = await ConnectedClient.connect("bare");
  expect((await bare.persona.initialize()).authMethods).toHaveLength(1);
});

test("requests before initialize are refused, and initialize works once", async () => {
  await using client = await ConnectedClient.connect("bare");
  expect(await refusal(client.persona.open(client.cwd))).toMatchObject({ code: -32600 });
  const answer = await client.persona.initialize();
  expect(answer).toMatchObject({ protocolVersion: 1, agentInfo: { name: "landline" } });
  expect(await refusal(client.persona.initialize())).toMatchObject({ code: -32600 });
  const future = { protocolVersion: 65_535 };
  await using other = await ConnectedClient.connect("bare");
  expect(await other.persona.agent.request("initialize", future)).toMatchObject({
    protocolVersion: 1,
  });
});

test("a person who is asked about a redirect also sees the other inputs of the call", async () => {
  await using server = createServer(({ headers, url }, response) => {
    const isFirst = url === "/first";
    const location = `http://localhost:${headers.host?.split(":")[1]}/second`;
    response.writeHead(isFirst ? 302 : 200, isFirst ? { location } : {}).end("here");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const first = { url: `http://127.0.0.1:${port}/first`, format: "text", timeout: 20 };
  await using client = await ConnectedClient.make("full", {
    script: [{ calls: [{ tool: "webfetch", input: first }] }, { say: "Done." }],
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "fetch");
  expect(client.persona.permissions.map(({ toolCall }) => toolCall.rawInput)).toEqual([
    first,
    { ...first, url: `http://localhost:${port}/second` },
  ]);
});
