import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { refusal, unconfined, ConnectedClient } from "./connected-client.ts";

function values(options: readonly SessionConfigOption[] | null | undefined) {
  return Object.fromEntries((options ?? []).map((option) => [option.id, option.currentValue]));
}

/** The last options that the client received, by any update. */
function told(client: ConnectedClient) {
  const modes = client.updates("current_mode_update").at(-1)?.["currentModeId"];
  const options = client.updates("config_option_update").at(-1)?.["configOptions"];
  return { mode: modes, options: values(options as SessionConfigOption[]) };
}

test("setting a mode one way updates all forms", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const { sessionId } = await client.persona.open(client.cwd);
  expect(await agent.request("session/set_mode", { sessionId, modeId: "plan" })).toEqual({});
  expect(told(client)).toMatchObject({ mode: "plan", options: { mode: "plan" } });
  const answer = await agent.request("session/set_config_option", {
    sessionId,
    configId: "mode",
    value: "build",
  });
  expect(values(answer.configOptions)).toMatchObject({ mode: "build", permissions: "ask" });
  expect(told(client)).toMatchObject({ mode: "build", options: { mode: "build" } });
  expect(client.persona.wire.faults()).toEqual([]);
});

test("an older client can set the model its own way", async () => {
  await using client = await ConnectedClient.make("legacy", {
    environment: { OPENAI_API_KEY: "sk-1" },
  });
  const { agent } = client.persona;
  const opened = await client.persona.open(client.cwd);
  const { sessionId } = opened;
  const { models } = opened as unknown as { models: { availableModels: { modelId: string }[] } };
  expect(models.availableModels.map(({ modelId }) => modelId)).toContain("demo/guide");
  const asked = { sessionId, modelId: "demo/guide" };
  expect(await agent.request("session/set_model", asked)).toEqual({});
  expect(told(client).options).toMatchObject({ model: "demo/guide" });
  expect(await refusal(agent.request("session/set_model", { sessionId }))).toMatchObject({
    code: -32602,
  });
});

test("unknown values are refused with the valid ones, and change nothing", async () => {
  await using client = await ConnectedClient.make("bare", { environment: unconfined });
  const { agent } = client.persona;
  const { sessionId } = await client.persona.open(client.cwd);
  const set = (configId: string, value: string) =>
    agent.request("session/set_config_option", { sessionId, configId, value });
  expect(
    await refusal(agent.request("session/set_mode", { sessionId, modeId: "x" })),
  ).toMatchObject({
    code: -32602,
    message: "There is no mode x. There are: build, plan.",
    data: { reason: "unknown-mode", sessionId },
  });
  for (const [id, value, reason] of [
    ["mode", "x", "unknown-mode"],
    ["model", "x/y", "unknown-model"],
    ["permissions", "x", "unknown-option"],
    ["effort", "x", "unknown-option"],
    ["x", "y", "unknown-option"],
  ] as const) {
    expect(await refusal(set(id, value))).toMatchObject({ code: -32602, data: { reason } });
  }
  const flag = { sessionId, configId: "mode", type: "boolean" as const, value: true };
  expect(await refusal(agent.request("session/set_config_option", flag))).toMatchObject({
    code: -32602,
  });
  expect(client.updates("config_option_update")).toEqual([]);
});

test("a model without a key requires a sign-in, and lists the methods", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  const model = { sessionId, configId: "model", value: "anthropic/claude-sonnet-5-5" };
  const refused = await refusal(client.persona.agent.request("session/set_config_option", model));
  expect(refused).toMatchObject({
    code: -32000,
    data: { reason: "sign-in-needed", authMethods: [{ id: "api-key" }] },
  });
  expect(refused.message).toContain("landline agent login anthropic");
});

test("thinking levels are offered if the model has some", async () => {
  await using client = await ConnectedClient.make("bare", {
    environment: { ANTHROPIC_API_KEY: "sk-1" },
  });
  const { agent } = client.persona;
  const { sessionId, configOptions } = await client.persona.open(client.cwd);
  const effort = configOptions?.find((option) => option.category === "thought_level");
  expect(effort).toMatchObject({ id: "effort", type: "select", currentValue: "default" });
  const answer = await agent.request("session/set_config_option", {
    sessionId,
    configId: "effort",
    value: "high",
  });
  expect(values(answer.configOptions)).toMatchObject({ effort: "high" });
});

test("a session whose model lost its key can be opened, and a prompt reports the missing key", async () => {
  await using client = await ConnectedClient.make("bare", {
    environment: { ANTHROPIC_API_KEY: "sk-1" },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.agent.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "anthropic/claude-haiku-5-5",
  });
  await client.leave();
  await using later = await client.again("bare");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  await later.persona.agent.request("session/load", place);
  await later.persona.wire.until((message) =>
    JSON.stringify(message).includes("available_commands_update"),
  );
  expect(await refusal(later.persona.prompt(sessionId, "hello"))).toMatchObject({
    code: -32000,
    data: { reason: "sign-in-needed" },
  });
});

test("a key that is stored during a demo turn applies to the next turn, with a notice", async () => {
  await using client = await ConnectedClient.make("elicitation");
  const { persona } = client;
  const { sessionId } = await persona.open(client.cwd);
  persona.answerForm = () => ({
    action: "accept",
    content: { provider: "openai", key: "sk-12345678" },
  });
  const waits = "run until test -e go; do sleep 0.05; done; echo so it is";
  const turn = persona.prompt(sessionId, waits);
  await expect.poll(() => client.updates("tool_call").length).toBeGreaterThan(0);
  await persona.agent.request("authenticate", { methodId: "api-key" });
  await expect.poll(() => told(client).options["model"]).toMatch(/^openai\//);
  await writeFile(join(client.cwd, "go"), "");
  expect(await turn).toMatchObject({ stopReason: "end_turn" });
  expect(client.said()).toContain("so it is");
  expect(client.said()).toMatch(/From the next message on, GPT.* answers/);
});

test("the levels describe what needs permission", async () => {
  await using client = await ConnectedClient.make("bare");
  const { configOptions } = await client.persona.open(client.cwd);
  const option = configOptions?.find(({ id }) => id === "permissions");
  expect(option).toMatchObject({
    options: [
      {
        value: "ask",
        description: "Ask before edits, fetches and commands that do more than read the project",
      },
      {
        value: "accept-edits",
        description:
          "Edit files of the project without asking, except protected ones; ask for the rest",
      },
      {
        value: "allow-all",
        description:
          "Run commands without asking and without a sandbox; ask only about credentials and protected places",
      },
    ],
  });
});
