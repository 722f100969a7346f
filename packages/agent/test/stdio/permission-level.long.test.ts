import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConnectedClient } from "../acp/connected-client.ts";
import { AgentProcess } from "./agent-process.ts";

interface Options {
  configOptions: { id: string; currentValue: string }[];
}

const levelOf = (answer: Record<string, unknown>) =>
  (answer["result"] as Options).configOptions.find(({ id }) => id === "permissions")?.currentValue;

let lastId = 100;
const seen = new WeakSet<object>();

/** Prompts. Returns the permission requests before the answer; each is rejected. */
async function asked(agent: AgentProcess, sessionId: string, text: string): Promise<string[]> {
  const id = (lastId += 1);
  const titles: string[] = [];
  agent.send({
    id,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text }] },
  });
  for (;;) {
    const message = await agent.wire.until(
      (one) =>
        !seen.has(one) &&
        ((one["id"] === id && one["method"] === undefined) ||
          one["method"] === "session/request_permission"),
    );
    seen.add(message);
    if (message["error"] !== undefined) throw new Error(JSON.stringify(message["error"]));
    if (message["method"] === undefined) return titles;
    const { toolCall } = message["params"] as { toolCall: { title: string } };
    titles.push(toolCall.title);
    agent.send({ id: message["id"], result: { outcome: { outcome: "cancelled" } } });
  }
}

function choose(agent: AgentProcess, sessionId: string, value: string) {
  const id = (lastId += 1);
  return agent.request(id, "session/set_config_option", {
    sessionId,
    configId: "permissions",
    value,
  });
}

function open(agent: AgentProcess, method: string, sessionId: string, cwd: string) {
  return agent.request((lastId += 1), method, { sessionId, cwd, mcpServers: [] });
}

const notices = { session: { notices: {} } };

function noticesOf(agent: AgentProcess) {
  return agent.wire.updates().filter((update) => update["sessionUpdate"] === "notice");
}

const untilNotice = (agent: AgentProcess) =>
  agent.wire.until(
    ({ params }) =>
      (params as { update?: { sessionUpdate: string } } | undefined)?.update?.sessionUpdate ===
      "notice",
  );

/** A session with the level chosen, left by a killed process. */
async function left(level: string): Promise<{ agent: AgentProcess; sessionId: string }> {
  const agent = await AgentProcess.start();
  await agent.initialize(notices);
  const sessionId = await agent.open();
  await choose(agent, sessionId, level);
  expect(await asked(agent, sessionId, "create a.txt: one")).toEqual([]);
  agent.child.kill("SIGKILL");
  await agent.ended;
  return { agent, sessionId };
}

test.each([
  ["session/load", "allow-all", "Allow all"],
  ["session/resume", "allow-all", "Allow all"],
  ["session/fork", "allow-all", "Allow all"],
  ["session/load", "accept-edits", "Accept edits"],
] as const)(
  "after %s in another process, a session with %s asks again",
  async (method, level, name) => {
    const { agent, sessionId } = await left(level);
    await using _agent = agent;
    await using later = await AgentProcess.start([], { HOME: agent.home });
    await later.initialize(notices);
    const answer = await open(later, method, sessionId, agent.cwd);
    expect(levelOf(answer)).toBe("ask");
    const opened = (answer["result"] as { sessionId?: string }).sessionId ?? sessionId;
    await untilNotice(later);
    expect(noticesOf(later)).toMatchObject([
      { severity: "warning", title: "Permissions are back to Ask" },
    ]);
    expect(noticesOf(later)[0]?.["description"]).toContain(`Choose ${name} again`);
    expect(await asked(later, opened, "create b.txt: two")).toHaveLength(1);
    // A person may choose it again for this process.
    await choose(later, opened, level);
    expect(await asked(later, opened, "create b.txt: two")).toEqual([]);
    expect(later.wire.faults()).toEqual([]);
  },
);

test("the level is reset once: a session that already asks reports nothing when it is opened", async () => {
  const { agent, sessionId } = await left("allow-all");
  await using _agent = agent;
  await using later = await AgentProcess.start([], { HOME: agent.home });
  await later.initialize(notices);
  await open(later, "session/load", sessionId, agent.cwd);
  await untilNotice(later);
  expect(levelOf(await open(later, "session/load", sessionId, agent.cwd))).toBe("ask");
  await asked(later, sessionId, "/status");
  expect(noticesOf(later)).toHaveLength(1);
});

test("a level that was set by leaving plan mode is reset too", async () => {
  await using client = await ConnectedClient.make("bare", {
    script: [{ calls: [{ tool: "plan_exit", input: { plan: "# Do it" } }] }, { say: "Done." }],
  });
  client.persona.answerPermission = () => "build-accepting-edits";
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await client.persona.prompt(sessionId, "go");
  expect(levelOf({ result: client.updates("config_option_update").at(-1) })).toBe("accept-edits");
  await client.leave();
  await using later = await client.again("bare");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  const result = await later.persona.agent.request("session/load", place);
  expect(levelOf({ result })).toBe("ask");
});

const configured = (level: string) => ({
  LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({
    local_providers: false,
    permission_level: level,
  }),
});

test("a configured level applies from the start, and after a restart", async () => {
  await using agent = await AgentProcess.start([], configured("accept-edits"));
  await agent.initialize(notices);
  const sessionId = await agent.open();
  expect(await asked(agent, sessionId, "create a.txt: one")).toEqual([]);
  agent.child.kill("SIGKILL");
  await agent.ended;
  const environment = { ...configured("accept-edits"), HOME: agent.home };
  await using later = await AgentProcess.start([], environment);
  await later.initialize(notices);
  const answer = await open(later, "session/load", sessionId, agent.cwd);
  expect(levelOf(answer)).toBe("accept-edits");
  expect(await asked(later, sessionId, "create b.txt: two")).toEqual([]);
  expect(noticesOf(later)).toEqual([]);
});

test("a chosen level is reset to the configured one", async () => {
  const { agent, sessionId } = await left("allow-all");
  await using _agent = agent;
  const environment = { ...configured("accept-edits"), HOME: agent.home };
  await using later = await AgentProcess.start([], environment);
  await later.initialize(notices);
  const answer = await open(later, "session/load", sessionId, agent.cwd);
  expect(levelOf(answer)).toBe("accept-edits");
  await untilNotice(later);
  expect(noticesOf(later)).toMatchObject([{ title: "Permissions are back to Accept edits" }]);
});

test("a stricter level than the configured one stays", async () => {
  await using agent = await AgentProcess.start([], configured("allow-all"));
  await agent.initialize(notices);
  const sessionId = await agent.open();
  await choose(agent, sessionId, "ask");
  agent.child.kill("SIGKILL");
  await agent.ended;
  await using later = await AgentProcess.start([], {
    ...configured("allow-all"),
    HOME: agent.home,
  });
  await later.initialize(notices);
  const answer = await open(later, "session/resume", sessionId, agent.cwd);
  expect(levelOf(answer)).toBe("ask");
  expect(await asked(later, sessionId, "create a.txt: one")).toHaveLength(1);
});

test("a project sets the level only after a person has trusted its folder", async () => {
  await using agent = await AgentProcess.start();
  const file = join(agent.cwd, "landline.jsonc");
  await writeFile(file, JSON.stringify({ permission_level: "allow-all" }));
  await agent.initialize(notices);
  const sessionId = await agent.open();
  expect(await asked(agent, sessionId, "create a.txt: one")).toHaveLength(1);
  expect(JSON.stringify(noticesOf(agent))).toContain("sets the permission level to allow-all");
  await asked(agent, sessionId, "/trust yes");
  expect(await asked(agent, sessionId, "create a.txt: one")).toEqual([]);
});

test("an “always” answer still applies after a restart", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  agent.send({
    id: 2,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "create a.txt: one" }] },
  });
  const request = await agent.wire.until((one) => one["method"] === "session/request_permission");
  const { options } = request["params"] as { options: { optionId: string; kind: string }[] };
  const optionId = options.find(({ kind }) => kind === "allow_always")?.optionId;
  expect(optionId).toBeDefined();
  agent.send({ id: request["id"], result: { outcome: { outcome: "selected", optionId } } });
  await agent.wire.until((one) => one["id"] === 2 && one["method"] === undefined);
  agent.child.kill("SIGKILL");
  await agent.ended;
  await rm(join(agent.cwd, "a.txt"));
  await using later = await AgentProcess.start([], { HOME: agent.home });
  await later.initialize();
  await open(later, "session/load", sessionId, agent.cwd);
  expect(await asked(later, sessionId, "create a.txt: one")).toEqual([]);
  expect(await readFile(join(agent.cwd, "a.txt"), "utf8")).toContain("one");
});
