import { expect, test } from "vitest";
import { turn } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const modelOptions = (currentValue: string, more: readonly object[] = []) => [
  {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue,
    options: [{ value: "one", name: "One" }, { value: "two", name: "Two" }, ...more],
  },
];
const models = {
  currentModelId: "one",
  availableModels: [
    { modelId: "one", name: "One" },
    { modelId: "two", name: "Two" },
  ],
};

test.concurrent("19: an agent with models only gets session/set_model", async () => {
  await inGateway({ agent: { session: { models } } }, async (gateway) => {
    const { session } = await opened(gateway);
    await session.setConfig("model", "two", "tester");
    expect((await session.view()).models?.currentModelId).toBe("two");
  });
});

test.concurrent("19: an agent that refuses session/set_model keeps the old model", async () => {
  const refusal = { code: -32601, message: "Method not found" };
  const agent = { session: { models }, answers: { "session/set_model": { error: refusal } } };
  await inGateway({ agent }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await expect(session.setConfig("model", "two", "tester")).rejects.toMatchObject({
      code: "method-not-found",
    });
    expect((await session.view()).models?.currentModelId).toBe("one");
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
  });
});

test.concurrent("19: an agent with both gets config options", async () => {
  const session = { models, configOptions: modelOptions("one") };
  const answers = { "session/set_model": { error: { code: -32603, message: "Not by this" } } };
  await inGateway({ agent: { session, answers } }, async (gateway) => {
    const { session: live } = await opened(gateway);
    await live.setConfig("model", "two", "tester");
    expect((await live.view()).configOptions).toMatchObject([{ currentValue: "two" }]);
  });
});

test.concurrent("19: an empty response means that the choice was applied", async () => {
  const session = { configOptions: modelOptions("one") };
  const answers = { "session/set_config_option": { result: {} } };
  await inGateway({ agent: { session, answers } }, async (gateway) => {
    const { session: live } = await opened(gateway);
    await live.setConfig("model", "two", "tester");
    expect((await live.view()).configOptions).toMatchObject([{ currentValue: "two" }]);
  });
});

test.concurrent("19: modes that are only config options are set as such", async () => {
  await inGateway({ agent: await shipped("like-opencode") }, async (gateway) => {
    const { session } = await opened(gateway);
    await session.setMode("plan", "tester");
    const mode = (await session.view()).configOptions?.find(({ id }) => id === "mode");
    expect(mode?.currentValue).toBe("plan");
  });
});

test.concurrent("19: the id of a mode may be a URL", async () => {
  const plan = "https://agentclientprotocol.com/protocol/session-modes#plan";
  await inGateway({ agent: await shipped("like-copilot") }, async (gateway) => {
    const { session } = await opened(gateway);
    await session.setMode(plan, "tester");
    expect((await session.view()).modes?.currentModeId).toBe(plan);
  });
});

test.concurrent("19: a mode change in a message is text, and the mode is what was set", async () => {
  await inGateway({ agent: await shipped("like-gemini") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await session.setMode("autoEdit", "tester");
    await watcher.until("update", () => watcher.said === "[MODE_UPDATE] autoEdit");
    expect((await session.view()).modes?.currentModeId).toBe("autoEdit");
    await expect(session.setMode("yolo", "tester")).rejects.toMatchObject({
      message: "Not in an untrusted folder",
    });
    expect((await session.view()).modes?.currentModeId).toBe("autoEdit");
  });
});

test.concurrent("19: an option that is offered later can be chosen, and is restored after a restart", async () => {
  const three = { value: "three", name: "Three" };
  const more = modelOptions("one", [three]);
  const agent = {
    initialize: { agentCapabilities: { loadSession: true } },
    session: { configOptions: more },
    answers: { "session/new": { add: { configOptions: modelOptions("one") } } },
    turns: [
      {
        steps: [
          { update: { sessionUpdate: "config_option_update", configOptions: more } },
          { say: "more" },
        ],
      },
      { steps: [] },
    ],
  };
  await inGateway({ agent }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    await session.setConfig("model", "three", "tester");
    expect((await session.view()).configOptions).toMatchObject([{ currentValue: "three" }]);
    await session.close("tester");
    await turn(session, watcher, "back");
    expect((await session.view()).configOptions).toMatchObject([{ currentValue: "three" }]);
  });
});
