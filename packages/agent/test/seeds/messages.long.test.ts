import { expect, test } from "vitest";
import { AgentProcess } from "../stdio/agent-process.ts";
import { messagesOf, seeds, type PrintedMessage } from "./examples.ts";

// The programs of the seeds' MCP servers must not be found, whatever is installed here.
const environment = { PATH: "/nonexistent" };

const hellos = seeds.flatMap(messagesOf).filter(({ method }) => method === "initialize");

test.each(hellos.filter(({ params }) => "protocolVersion" in params))(
  "$name is answered",
  async ({ params }) => {
    await using agent = await AgentProcess.start([], environment);
    expect(await agent.request(1, "initialize", params)).toMatchObject({
      result: { protocolVersion: 1, agentInfo: { name: "landline" } },
    });
    expect(agent.wire.faults()).toEqual([]);
  },
);

test.each(hellos.filter(({ params }) => !("protocolVersion" in params)))(
  "$name, which names no version, is refused",
  async ({ params }) => {
    await using agent = await AgentProcess.start([], environment);
    expect(await agent.request(1, "initialize", params)).toMatchObject({ error: { code: -32602 } });
  },
);

/** The message with existing names in place of those of the seed; its shape is unchanged. */
function here({ params }: PrintedMessage, names: Record<string, string>): Record<string, unknown> {
  if (params["sessionId"] === "invalid") return params;
  // A cursor comes from an earlier page; the seed's is made up.
  const { cursor: _cursor, ...rest } = params;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, names[key] ?? value]));
}

/** All are understood; two get an error: a missing key and a missing session. */
function expected({ method, params }: PrintedMessage): object {
  if (method === "authenticate")
    return { error: { code: -32000, data: { reason: "sign-in-needed" } } };
  if (params["sessionId"] === "invalid") return { error: { code: -32002, data: { code: -31900 } } };
  return { result: {} };
}

test.each(seeds)("every message of a client in seed %s is understood", async (seed) => {
  await using agent = await AgentProcess.start([], environment);
  await agent.initialize();
  const names = {
    cwd: agent.cwd,
    sessionId: await agent.open(),
    modeId: "plan",
    modelId: "demo/guide",
    methodId: "api-key",
    authMethodId: "api-key",
    value: "demo/guide",
  };
  const messages = messagesOf(seed).filter(({ method }) => method !== "initialize");
  const requests = messages.filter(({ method }) => method !== "session/cancel");
  expect(requests.length).toBeGreaterThan(0);
  for (const [index, message] of requests.entries()) {
    const answer = await agent.request(100 + index, message.method, here(message, names));
    expect({ name: message.name, ...answer }).toMatchObject({
      name: message.name,
      ...expected(message),
    });
  }
  for (const message of messages.filter((each) => !requests.includes(each)))
    agent.send({ method: message.method, params: here(message, names) });
  agent.child.stdin.end();
  expect((await agent.ended).code).toBe(0);
  expect(agent.wire.faults()).toEqual([]);
});
