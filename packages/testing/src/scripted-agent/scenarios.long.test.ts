import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { shippedScenario } from "./command.ts";
import { violations } from "./conformance.ts";
import { isObject, type JsonObject } from "./json.ts";
import { readScenario } from "./read-scenario.ts";
import { openAgent, startAgent, type AgentProcess } from "./agent-process.ts";
import { errorOf, resultOf, type ClientAnswers } from "./wire-client.ts";

const names = readdirSync(new URL("../../scenarios/", import.meta.url)).map((name) =>
  name.replace(/\.json$/, ""),
);

const everything = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

/** Allows everything, and has the files and terminals that the scenarios expect. */
const willing: ClientAnswers = {
  "session/request_permission": (params) => choose(params, "allow_once"),
  "fs/read_text_file": () => ({ result: { content: "And the bread.\n" } }),
  "fs/write_text_file": () => ({ result: {} }),
  "terminal/create": () => ({ result: { terminalId: "terminal-1" } }),
  "terminal/output": () => ({ result: { output: "all tests passed\n", truncated: false } }),
  "terminal/wait_for_exit": () => ({ result: { exitCode: 0, signal: null } }),
  "terminal/kill": () => ({ result: {} }),
  "terminal/release": () => ({ result: {} }),
  "elicitation/create": () => ({ result: { action: "accept", content: { name: "Ada" } } }),
};

function choose(params: JsonObject, kind: string): { result: unknown } {
  const options = params["options"] as { kind: string; optionId: string }[];
  const optionId = options.find((option) => option.kind === kind)?.optionId;
  return { result: { outcome: { outcome: "selected", optionId } } };
}

function kinds(agent: AgentProcess): unknown[] {
  return agent.updates().map((update) => update["sessionUpdate"]);
}

describe("every scenario", () => {
  test.each(names)("%s is valid, and has a description", (name) => {
    expect(readScenario(shippedScenario(name)).about.length).toBeGreaterThan(20);
  });

  test.each(names)("%s contains no absolute path", (name) => {
    expect(readFileSync(shippedScenario(name), "utf8")).not.toMatch(/"\/(work|home|root|tmp)\//);
  });
});

/** Scenario, prompts, and whether the unstable schema is needed. */
const conforming: readonly [string, readonly string[], boolean][] = [
  ["hello", ["good morning"], false],
  ["tour", ["show me everything"], false],
  ["flood", ["steady"], false],
  ["silent", ["short"], false],
  ["crash", ["fine"], false],
  ["stubborn", ["fine"], false],
  ["wrong-order", ["go"], false],
  ["subagent", ["one", "two"], true],
  ["like-claude", ["hello", "write"], true],
  ["like-codex", ["hello", "write", "401"], true],
  ["like-gemini", ["hello", "write", "401"], false],
  ["like-opencode", ["hello", "write", "task", "401"], true],
  ["like-copilot", ["hello", "write", "401"], true],
  ["like-goose", ["hello", "write", "shell", "401"], true],
];

describe("scenarios that conform", () => {
  test.each(conforming)("%s sends only messages of the schema", async (name, prompts, unstable) => {
    await using opened = await openAgent(name, { answers: willing, capabilities: everything });
    const { agent, sessionId } = opened;
    for (const text of prompts) await agent.prompt(sessionId, text);
    await agent.request("session/list");
    expect(violations(agent, unstable)).toEqual([]);
    expect(agent.stderr).toBe("");
  });
});

test("tour shows everything that a chat can show", async () => {
  await using opened = await openAgent("tour", { answers: willing, capabilities: everything });
  const { agent, sessionId } = opened;
  const answer = await agent.prompt(sessionId, "everything");
  expect(resultOf(answer)).toMatchObject({ stopReason: "end_turn", usage: { totalTokens: 1290 } });
  expect(new Set(kinds(agent))).toEqual(
    new Set([
      "available_commands_update",
      "session_info_update",
      "agent_thought_chunk",
      "plan",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "current_mode_update",
      "config_option_update",
      "notice",
      "compaction_update",
      "usage_update",
    ]),
  );
  const methods = new Set(agent.messages.map((message) => message["method"]));
  for (const method of [
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/wait_for_exit",
    "terminal/output",
    "terminal/release",
    "elicitation/create",
    "elicitation/complete",
  ]) {
    expect(methods).toContain(method);
  }
  const wire = JSON.stringify(agent.messages);
  for (const type of ["text", "image", "audio", "resource", "resource_link", "diff", "terminal"]) {
    expect(wire).toContain(`"type":"${type}"`);
  }
  expect(agent.said()).toContain("Thank you, Ada.");
});

test("tour asks a plain client for nothing that it does not support", async () => {
  const answers = { "session/request_permission": willing["session/request_permission"]! };
  await using opened = await openAgent("tour", { answers });
  const { agent, sessionId } = opened;
  expect(resultOf(await agent.prompt(sessionId, "go"))["stopReason"]).toBe("end_turn");
  const asked = agent.messages.filter(({ method, id }) => method !== undefined && id !== undefined);
  expect(asked.map((message) => message["method"])).toEqual(["session/request_permission"]);
  expect(kinds(agent)).not.toContain("notice");
  const created = agent.messages.find((message) => resultOf(message)["sessionId"] === sessionId);
  expect(JSON.stringify(created)).not.toContain('"boolean"');
});

test("subagent plays seed 004's appendix exactly", async () => {
  await using opened = await openAgent("subagent", { answers: willing });
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "what is the module called?");
  const call = "call_e11d74682ace4ddaaa97e1c0";
  const [first, second, third, , last] = agent.updates(sessionId);
  expect(first).toEqual({
    sessionUpdate: "tool_call",
    toolCallId: call,
    title: "task",
    kind: "other",
    status: "pending",
    rawInput: {},
  });
  expect(second).toEqual({
    sessionUpdate: "tool_call_update",
    toolCallId: call,
    status: "in_progress",
    subagent_type: "general",
    description: "Read go.mod module name",
  });
  expect(third).toMatchObject({ toolCallId: call, status: "in_progress" });
  expect(last).toMatchObject({
    status: "completed",
    rawOutput: { metadata: { sessionId: "ses_401a7c450ffeiS9TVG427W6P52", truncated: false } },
  });
  await agent.prompt(sessionId, "and again");
  const ids = new Set(
    agent.messages.flatMap(({ params }) => (isObject(params) ? [params["sessionId"]] : [])),
  );
  expect(ids.size).toBe(2);
  const asked = agent.messages.find(({ method }) => method === "session/request_permission");
  expect(asked?.["params"]).toMatchObject({
    sessionId: expect.stringMatching(/^child-/) as string,
  });
});

test("flood sends all chunks in order, and a cancel ends the endless one", async () => {
  await using opened = await openAgent("flood");
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "go");
  const chunks = agent.updates(sessionId);
  expect(chunks).toHaveLength(100_001);
  const inOrder = chunks
    .slice(0, 100_000)
    .every((update, index) => JSON.stringify(update).includes(`"text":"${index} `));
  expect(inOrder).toBe(true);
  const endless = agent.sendPrompt(sessionId, "endless");
  await agent.settled(() => agent.updates(sessionId).length > 110_000);
  agent.notify("session/cancel", { sessionId });
  expect(resultOf(await agent.answerTo(endless))).toEqual({ stopReason: "cancelled" });
});

test("silent sends nothing more, whatever is requested", async () => {
  await using opened = await openAgent("silent");
  const { agent, sessionId } = opened;
  expect(resultOf(await agent.prompt(sessionId, "short"))["stopReason"]).toBe("end_turn");
  const lost = agent.sendPrompt(sessionId, "go");
  await agent.settled(() => agent.said().includes("not hear from me"));
  const heard = agent.messages.length;
  agent.notify("session/cancel", { sessionId });
  agent.send("session/new", { cwd: "/repo", mcpServers: [] });
  // Its stdin is read to the end before it exits, so any output would have arrived.
  agent.closeInput();
  expect(await agent.exited).toEqual({ code: 0, signal: null });
  expect(agent.messages.slice(heard)).toEqual([]);
  expect(agent.messages.some((message) => message["id"] === lost)).toBe(false);
});

describe("crash", () => {
  test.each([
    ["go", { code: 3, signal: null }, "I feel unwell."],
    ["signal", { code: null, signal: "SIGKILL" }, "about to be killed"],
    ["half", { code: 4, signal: null }, "no end"],
  ])("%s ends the process, after all output", async (prompt, how, said) => {
    await using opened = await openAgent("crash");
    const { agent, sessionId } = opened;
    agent.sendPrompt(sessionId, prompt);
    expect(await agent.exited).toEqual(how);
    await agent.settled(() => agent.said().includes(said));
    const wire = agent.bytes().toString();
    expect(wire.endsWith("\n")).toBe(prompt !== "half");
    if (prompt === "go") await agent.settled(() => agent.stderr.includes("Fatal"));
  });
});

test("noise keeps the conversation complete between lines that are not messages", async () => {
  await using opened = await openAgent("noise");
  const { agent, sessionId } = opened;
  expect(resultOf(await agent.prompt(sessionId, "go"))["stopReason"]).toBe("end_turn");
  expect(agent.noise).toContain("Welcome to noise 1.0.0!");
  expect(agent.noise.length).toBeGreaterThan(6);
  expect(agent.said()).toMatch(/^one .*two three fóur five$/s);
  expect(agent.bytes().includes(Buffer.from([0xc3, 0x28]))).toBe(true);
  await agent.settled(() => agent.stderr.includes("noise: starting"));
});

test("noise writes lines of the given length", async () => {
  await using opened = await openAgent("noise");
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "oversized");
  const longest = Math.max(
    ...agent
      .bytes()
      .toString("latin1")
      .split("\n")
      .map((line) => line.length + 1),
  );
  expect(longest).toBe(40_000_000);
});

test("wrong-order sends everything at the wrong time, and loads in the wrong order too", async () => {
  await using opened = await openAgent("wrong-order", { answers: willing });
  const { agent, sessionId } = opened;
  const created = agent.messages.findIndex(
    (message) => resultOf(message)["sessionId"] !== undefined,
  );
  expect(agent.updates().slice(0, 1)).toMatchObject([
    { sessionUpdate: "available_commands_update" },
  ]);
  expect(agent.messages.findIndex(({ method }) => method === "session/update")).toBeLessThan(
    created,
  );
  const answer = await agent.prompt(sessionId, "go");
  await agent.settled(() => agent.said().includes("much later"));
  const order = agent.messages.slice(created + 1);
  expect(order[0]?.["method"]).toBe("session/request_permission");
  expect(order[0]?.["id"]).toBe(0);
  expect(order.indexOf(answer)).toBeLessThan(order.length - 3);
  const heard = agent.messages.length;
  const load = await agent.request("session/load", { sessionId, cwd: "/repo", mcpServers: [] });
  await agent.settled(() => agent.said().split("much later").length === 3);
  expect(agent.messages[heard]).toBe(load);
  expect(agent.messages[heard + 1]).toMatchObject({
    method: "session/update",
    params: { update: { sessionUpdate: "user_message_chunk", content: { text: "go" } } },
  });
});

test("like-cline requires a sign-in, and leaves a daemon running", async () => {
  await using agent = startAgent("like-cline");
  await agent.initialize();
  const params = { cwd: "/repo", mcpServers: [] };
  expect(errorOf(await agent.request("session/new", params))["code"]).toBe(-32000);
  await agent.request("authenticate", { methodId: "cline" });
  const created = await agent.request("session/new", params);
  expect(JSON.stringify(created)).toContain('"boolean"');
  await agent.settled(() => agent.stderr.includes("daemon"));
  const daemon = Number(/daemon (\d+)/.exec(agent.stderr)?.[1]);
  agent.closeInput();
  await agent.exited;
  expect(process.kill(daemon, "SIGKILL")).toBe(true);
});
