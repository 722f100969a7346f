import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { afterEach, expect, test } from "vitest";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";

const select = (id: string, category: string, values: readonly string[]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

const agent = {
  session: {
    configOptions: [
      select("mode", "mode", ["ask", "bypass"]),
      select("model", "model", ["small", "large", "huge"]),
      select("effort", "thought_level", ["low", "high"]),
      select("colour", "other", ["red", "blue"]),
    ],
  },
  answers: {
    "session/set_config_option": [
      { match: { value: "huge" }, error: { code: -32602, message: "Not today." } },
    ],
  },
  turns: [{ steps: [{ say: "{{options.mode}} {{options.model}} {{options.effort}}" }] }],
};

const older = {
  session: {
    models: {
      currentModelId: "one",
      availableModels: [
        { modelId: "one", name: "One" },
        { modelId: "two", name: "Two" },
      ],
    },
  },
};

const large = { configId: "model", value: "large", category: "model", name: "LARGE" };
const high = { configId: "effort", value: "high", category: "thought_level", name: "HIGH" };

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

async function ask(method: string, path: string): Promise<Response> {
  const { url, token } = gateway;
  return fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
}

async function lastChoices(id = "agent"): Promise<AgentSummary["lastChoices"] | undefined> {
  const listed = (await (await ask("GET", "/api/agents")).json()) as { agents: AgentSummary[] };
  return listed.agents.find((one) => one.id === id)?.lastChoices;
}

const begin = (config: readonly { configId: string; value: string | boolean }[]) =>
  gateway.sessions.open({ agent: "agent", cwd: gateway.project, by: "tester", config });

test("remembered options are listed for the agent, the model first, even after a restart", async () => {
  gateway = await ScriptedGateway.open({ agent, older });
  expect(await lastChoices()).toEqual([]);
  const session = await gateway.openSession("agent");
  await session.setConfig("effort", "high", "tester", true);
  await session.setConfig("model", "large", "tester", true);
  expect(await lastChoices()).toEqual([large, high]);
  await gateway.stop();
  await gateway.start();
  expect(await lastChoices()).toEqual([large, high]);
  expect((await ask("DELETE", "/api/agents/agent/choices")).status).toBe(204);
  expect(await lastChoices()).toEqual([]);
  expect(await readFile(join(gateway.data, "choices.json"), "utf8")).toBe("{}\n");
  expect((await ask("DELETE", "/api/agents/nobody/choices")).status).toBe(404);
});

test("modes, options without isRemembered and failed choices are not remembered", async () => {
  gateway = await ScriptedGateway.open({ agent });
  const session = await gateway.openSession("agent");
  await session.setConfig("mode", "bypass", "tester", true);
  await session.setConfig("colour", "blue", "tester", true);
  await session.setConfig("model", "large", "tester");
  await expect(session.setConfig("model", "huge", "tester", true)).rejects.toThrow("Not today.");
  expect(await lastChoices()).toEqual([]);
});

test("a legacy model is remembered and restored", async () => {
  gateway = await ScriptedGateway.open({ older });
  const session = await gateway.openSession("older");
  await session.setConfig("model", "two", "tester", true);
  const config = [{ configId: "model", value: "two", category: "model", name: "Two" }] as const;
  expect(await lastChoices("older")).toEqual(config);
  const { sessions } = gateway;
  const next = await sessions.open({ agent: "older", cwd: gateway.project, by: "tester", config });
  expect((await next.view()).models?.currentModelId).toBe("two");
});

test("the first prompt runs with the options of the open request", async () => {
  gateway = await ScriptedGateway.open({ agent });
  const session = await begin([large, high]);
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  expect(watcher.said).toBe("ask large high");
  // A person did not choose it, so it is not remembered.
  expect(await lastChoices()).toEqual([]);
});

test("refused options are logged, and the session starts with the others", async () => {
  gateway = await ScriptedGateway.open({ agent });
  const session = await begin([
    { configId: "model", value: "huge" },
    { configId: "gone", value: true },
    { configId: "mode", value: "ask" },
    high,
  ]);
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  expect(watcher.said).toBe("ask small high");
  const errors = watcher.events.filter((event) => event.kind === "error");
  expect(errors.map(({ code, message }) => [code, message])).toEqual([
    ["option-not-offered", 'Started without model "huge": Not today.'],
    ["option-not-offered", "Started without gone true: The agent does not offer true for gone."],
  ]);
});

test("after an option times out, no other is sent, and the session starts", async () => {
  const answers = { "session/set_config_option": { never: true } };
  gateway = await ScriptedGateway.open({ agent: { ...agent, answers } }, { sessionNewMs: 2_000 });
  const session = await begin([large, high]);
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  expect(watcher.said).toBe("ask small low");
  expect(watcher.events.filter(({ kind }) => kind === "error")).toHaveLength(1);
});

test("a sign-out deletes remembered options", async () => {
  const initialize = { agentCapabilities: { auth: { logout: {} } } };
  gateway = await ScriptedGateway.open({ agent: { ...agent, initialize } });
  const session = await gateway.openSession("agent");
  await session.setConfig("model", "large", "tester", true);
  expect(await lastChoices()).toEqual([large]);
  expect((await ask("POST", "/api/agents/agent/sign-out")).status).toBe(200);
  expect(await lastChoices()).toEqual([]);
});
