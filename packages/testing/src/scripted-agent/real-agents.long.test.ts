/** The 21 habits of real agents that a gateway has to handle, each played and verified here. */
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "./json.ts";
import {
  endOfAnotherAgent,
  openAgent,
  scratchFolder,
  startAgent,
  type AgentProcess,
} from "./agent-process.ts";
import { errorOf, resultOf, type ClientAnswers } from "./wire-client.ts";

const opening = { cwd: "/repo", mcpServers: [] };

function choosing(kind: string): ClientAnswers {
  return {
    "session/request_permission": (params) => {
      const options = params["options"] as { kind: string; optionId: string }[];
      const optionId = options.find((option) => option.kind === kind)?.optionId;
      return { result: { outcome: { outcome: "selected", optionId } } };
    },
    "fs/read_text_file": () => ({ result: { content: "" } }),
    "fs/write_text_file": () => ({ result: {} }),
  };
}

function ask(agent: AgentProcess, method: string): number {
  return agent.messages.findIndex((message) => message["method"] === method);
}

function updatesOfKind(agent: AgentProcess, kind: string): JsonObject[] {
  return agent.updates().filter((update) => update["sessionUpdate"] === kind);
}

/** The tool calls that a client would still show as running. */
function openCalls(agent: AgentProcess): unknown[] {
  const states = new Map<unknown, unknown>();
  for (const { sessionUpdate, toolCallId, status } of agent.updates()) {
    if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") {
      states.set(toolCallId, status ?? states.get(toolCallId) ?? "pending");
    }
  }
  return [...states.values()].filter((status) => status !== "completed" && status !== "failed");
}

async function childOf(agent: AgentProcess, sessionId: string) {
  const prompt = agent.sendPrompt(sessionId, "shell");
  await agent.settled(() => /^\d+$/.test(agent.said()));
  const pid = Number(agent.said());
  return { prompt, pid, [Symbol.dispose]: () => endStray(pid) };
}

function endStray(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

test("1: updates of a session before the response with its id", async () => {
  await using opened = await openAgent("like-copilot");
  const { agent, sessionId } = opened;
  const created = agent.messages.findIndex(
    (message) => resultOf(message)["sessionId"] === sessionId,
  );
  expect(ask(agent, "session/update")).toBeLessThan(created);
  expect(agent.updates(sessionId)).toHaveLength(1);
  await using claude = await openAgent("like-claude");
  expect(ask(claude.agent, "_auth/status_update")).toBe(1);
});

test("2: a replay after the response of load, with hidden text and no tool calls", async () => {
  await using opened = await openAgent("like-gemini", { answers: choosing("allow_once") });
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "write");
  const heard = agent.messages.length;
  const load = await agent.request("session/load", { sessionId, ...opening });
  await agent.settled(() =>
    JSON.stringify(agent.messages.slice(heard)).includes("Function Response"),
  );
  expect(agent.messages.indexOf(load)).toBe(heard + 1);
  const replayed = JSON.stringify(agent.messages.slice(heard));
  expect(replayed).toContain("session_context");
  expect(replayed).not.toContain("tool_call");
});

test("3: fs/write_text_file to a client without file support", async () => {
  await using opened = await openAgent("like-opencode", {
    answers: {
      ...choosing("allow_once"),
      "fs/write_text_file": () => ({ error: { code: -32601, message: "no" } }),
    },
  });
  const { agent, sessionId } = opened;
  expect(resultOf(await agent.prompt(sessionId, "write"))["stopReason"]).toBe("end_turn");
  expect(ask(agent, "fs/write_text_file")).toBeGreaterThan(0);
  expect(openCalls(agent)).toEqual([]);
});

test("4: a missing file fails the tool, unless it is answered as an empty one", async () => {
  const missing: ClientAnswers = {
    ...choosing("allow_once"),
    "fs/read_text_file": () => ({ error: { code: -32002, message: "gone" } }),
  };
  await using failing = await openAgent("like-gemini", { answers: missing });
  await failing.agent.prompt(failing.sessionId, "write");
  expect(ask(failing.agent, "fs/write_text_file")).toBe(-1);
  expect(JSON.stringify(failing.agent.updates())).toContain("Error checking existing file");
  await using working = await openAgent("like-gemini", { answers: choosing("allow_once") });
  await working.agent.prompt(working.sessionId, "write");
  expect(ask(working.agent, "fs/write_text_file")).toBeGreaterThan(0);
});

test("5: a loaded session is lost for the next start", async () => {
  const state = scratchFolder("gemini");
  let id = "";
  {
    await using opened = await openAgent("like-gemini", { state });
    id = opened.sessionId;
    await opened.agent.request("session/load", { sessionId: id, ...opening });
  }
  await using agent = startAgent("like-gemini", { state });
  await agent.initialize();
  const load = await agent.request("session/load", { sessionId: id, ...opening });
  expect(errorOf(load)["code"]).toBe(-32603);
});

test("6 and 7: one line of 560 KB for each session, and methods that are in no schema", async () => {
  await using opened = await openAgent("like-qwen", { answers: choosing("allow_once") });
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "write");
  const longest = Math.max(
    ...agent
      .bytes()
      .toString()
      .split("\n")
      .map((line) => line.length + 1),
  );
  expect(longest).toBe(563_186);
  expect(ask(agent, "craft/drainMidTurnQueue")).toBeGreaterThan(0);
  await agent.until(({ method }) => method === "qwen/notify/session/prompt-suggestion");
});

test("8: permissions before any tool call, and a call after its update", async () => {
  await using gemini = await openAgent("like-gemini", { answers: choosing("allow_once") });
  await gemini.agent.prompt(gemini.sessionId, "write");
  expect(updatesOfKind(gemini.agent, "tool_call")).toEqual([]);
  await using agent = startAgent("like-cline", { answers: choosing("allow_once") });
  await agent.initialize();
  await agent.request("authenticate", { methodId: "cline" });
  await agent.prompt(await agent.newSession(), "write");
  const statuses = agent
    .updates()
    .flatMap(({ sessionUpdate, status }) =>
      String(sessionUpdate).startsWith("tool_call")
        ? [`${String(sessionUpdate)} ${String(status)}`]
        : [],
    );
  expect(statuses).toEqual([
    "tool_call_update pending",
    "tool_call_update in_progress",
    "tool_call pending",
    "tool_call_update completed",
  ]);
  await agent.settled(() => agent.stderr.includes("daemon"));
  endStray(Number(/daemon (\d+)/.exec(agent.stderr)?.[1]));
});

describe("9 and 10: a rejected permission", () => {
  test.each([
    ["like-codex", "cancelled", "", 1],
    ["like-opencode", "end_turn", "I will write the file.", 0],
    ["like-copilot", "end_turn", "", 0],
    ["like-qwen", "end_turn", "I will write the file.", 0],
    ["like-gemini", "end_turn", "I will write the file.Then I leave it.", 0],
    ["like-claude", "end_turn", "I will write the file.Then I leave it.", 0],
  ])("ends the turn of %s with %s, or continues", async (name, stopReason, said, open) => {
    await using opened = await openAgent(name, { answers: choosing("reject_once") });
    const { agent, sessionId } = opened;
    expect(resultOf(await agent.prompt(sessionId, "write"))["stopReason"]).toBe(stopReason);
    expect(agent.said()).toBe(said);
    expect(openCalls(agent)).toHaveLength(open);
  });

  test("only like-goose offers reject_always, and option ids differ everywhere", async () => {
    await using opened = await openAgent("like-goose", { answers: choosing("reject_always") });
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "write");
    expect(agent.said()).toContain("told not to");
  });
});

test("10 and 11: a cancel leaves the call open, and the tool running", async () => {
  await using opened = await openAgent("like-codex");
  const { agent, sessionId } = opened;
  using child = await childOf(agent, sessionId);
  agent.notify("session/cancel", { sessionId });
  expect(resultOf(await agent.answerTo(child.prompt))["stopReason"]).toBe("cancelled");
  expect(openCalls(agent)).toHaveLength(1);
  expect(process.kill(child.pid, 0)).toBe(true);
});

test("11, 14 and 18: a terminal is left unreleased, its command is a whole line, ids are UUIDs", async () => {
  const answers: ClientAnswers = {
    "terminal/create": () => ({ result: { terminalId: "t" } }),
    "terminal/wait_for_exit": () => "never",
  };
  await using opened = await openAgent("like-goose", { answers });
  const { agent, sessionId } = opened;
  const prompt = agent.sendPrompt(sessionId, "shell");
  const waiting = await agent.until(({ method }) => method === "terminal/wait_for_exit");
  agent.notify("session/cancel", { sessionId });
  await agent.answerTo(prompt);
  const created = agent.messages[ask(agent, "terminal/create")];
  expect(created?.["params"]).toMatchObject({ command: "sleep 20; echo done" });
  expect(created?.["params"]).not.toHaveProperty("args");
  expect(String(waiting["id"])).toMatch(/^[\da-f]{8}-[\da-f]{4}-/);
  expect(ask(agent, "$/cancel_request")).toBeGreaterThan(0);
  expect(ask(agent, "terminal/release")).toBe(-1);
});

describe("12: a second prompt while one runs", () => {
  const waiting: ClientAnswers = { "session/request_permission": () => "never" };
  const outcome = (message: JsonObject) =>
    resultOf(message)["stopReason"] ?? errorOf(message)["code"];

  test("like-goose rejects it, and the first continues", async () => {
    await using opened = await openAgent("like-goose", { answers: waiting });
    const { agent, sessionId } = opened;
    const one = agent.sendPrompt(sessionId, "write");
    expect(outcome(await agent.prompt(sessionId, "hello"))).toBe(-32602);
    agent.notify("session/cancel", { sessionId });
    expect(outcome(await agent.answerTo(one))).toBe("cancelled");
  });

  test.each([
    ["like-gemini", "cancelled"],
    ["like-copilot", "cancelled"],
    ["like-qwen", -32603],
  ])("%s ends the first with %s", async (name, first) => {
    await using opened = await openAgent(name, {
      answers: { ...choosing("allow_once"), ...waiting },
    });
    const { agent, sessionId } = opened;
    const one = agent.sendPrompt(sessionId, "write");
    expect(outcome(await agent.prompt(sessionId, "hello"))).toBe("end_turn");
    expect(outcome(await agent.answerTo(one))).toBe(first);
  });

  test("some never answer it", async () => {
    await using opened = await openAgent({
      secondPrompt: "never",
      turns: [{ steps: [{ say: "x" }, { wait: 100 }] }],
    });
    const { agent, sessionId } = opened;
    const one = agent.sendPrompt(sessionId, "a");
    const two = agent.sendPrompt(sessionId, "b");
    await agent.answerTo(one);
    await agent.request("no/such");
    expect(agent.messages.some(({ id }) => id === two)).toBe(false);
  });
});

describe("13: model failures", () => {
  test.each([
    ["like-gemini", 401],
    ["like-opencode", -32603],
    ["like-codex", -32000],
    ["like-copilot", "end_turn"],
  ])("%s answers a refused key with %s", async (name, expected) => {
    await using opened = await openAgent(name);
    const answer = await opened.agent.prompt(opened.sessionId, "401");
    expect(resultOf(answer)["stopReason"] ?? errorOf(answer)["code"]).toBe(expected);
  });

  test.each([
    ["like-claude", "401", "cancelled"],
    ["like-opencode", "cut", "end_turn"],
  ])("%s hangs until it is cancelled", async (name, text, stopReason) => {
    await using opened = await openAgent(name);
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, text);
    await agent.request("no/such");
    agent.notify("session/cancel", { sessionId });
    expect(resultOf(await agent.answerTo(prompt))["stopReason"]).toBe(stopReason);
  });
});

test("15: load of an unknown id succeeds, and a resumed session is not found", async () => {
  await using opened = await openAgent("like-qwen");
  const { agent, sessionId } = opened;
  const load = await agent.request("session/load", { sessionId: "never-seen", ...opening });
  expect(isObject(load["result"])).toBe(true);
  await agent.request("session/resume", { sessionId, ...opening });
  const prompt = await agent.prompt(sessionId, "hello");
  expect(errorOf(prompt)).toMatchObject({ code: -32603, data: { details: "Session not found" } });
});

describe("16 and 17: ending agents", () => {
  test("like-codex takes two seconds", async () => {
    await using agent = startAgent("like-codex");
    await agent.initialize();
    const startedAt = performance.now();
    agent.closeInput();
    expect((await agent.exited).code).toBe(0);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1999);
  });

  test("like-gemini stays while a tool runs, and ends on SIGTERM", async () => {
    await using opened = await openAgent("like-gemini");
    const { agent, sessionId } = opened;
    using _child = await childOf(agent, sessionId);
    agent.closeInput();
    await endOfAnotherAgent();
    expect(agent.child.exitCode).toBeNull();
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });

  test("like-opencode leaves its tool running, in its own session, on SIGTERM", async () => {
    await using opened = await openAgent("like-opencode");
    const { agent, sessionId } = opened;
    using child = await childOf(agent, sessionId);
    agent.child.kill("SIGTERM");
    expect((await agent.exited).signal).toBe("SIGTERM");
    expect(process.kill(child.pid, 0)).toBe(true);
  });
});

test("18: request ids clash with the client's", async () => {
  await using opened = await openAgent("like-opencode", { answers: choosing("allow_once") });
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "write");
  expect(agent.messages[ask(agent, "session/request_permission")]?.["id"]).toBe(0);
  expect(agent.messages[ask(agent, "fs/write_text_file")]?.["id"]).toBe(1);
});

test("19: models in two forms, modes as URLs, a mode change as text", async () => {
  await using codex = await openAgent("like-codex");
  const params = { sessionId: codex.sessionId, modelId: "astra[high]" };
  expect(resultOf(await codex.agent.request("session/set_model", params))).toEqual({});
  await using opencode = await openAgent("like-opencode");
  const mode = { sessionId: opencode.sessionId, modeId: "plan" };
  expect(errorOf(await opencode.agent.request("session/set_mode", mode))["code"]).toBe(-32601);
  await using gemini = await openAgent("like-gemini");
  const { agent, sessionId } = gemini;
  await agent.request("session/set_mode", { sessionId, modeId: "autoEdit" });
  await agent.settled(() => agent.said() === "[MODE_UPDATE] autoEdit");
  const refused = await agent.request("session/set_mode", { sessionId, modeId: "yolo" });
  expect(errorOf(refused)["code"]).toBe(-32603);
  await using copilot = await openAgent("like-copilot");
  expect(JSON.stringify(copilot.agent.messages)).toContain('"currentModeId":"https://');
});

test("20 and 21: chunks with and without message ids, and updates after the response", async () => {
  await using opened = await openAgent("like-copilot", { answers: choosing("allow_once") });
  const { agent, sessionId } = opened;
  const answer = await agent.prompt(sessionId, "write");
  await agent.settled(() => updatesOfKind(agent, "usage_update").length === 1);
  const late = agent.messages.slice(agent.messages.indexOf(answer) + 1);
  expect(late).toHaveLength(2);
  expect(updatesOfKind(agent, "agent_message_chunk")[0]).not.toHaveProperty("messageId");
  await using goose = await openAgent("like-goose");
  await goose.agent.prompt(goose.sessionId, "hello");
  expect(updatesOfKind(goose.agent, "agent_message_chunk")[0]).toHaveProperty("messageId");
});
