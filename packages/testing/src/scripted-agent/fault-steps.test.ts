import { describe, expect, test } from "vitest";
import { openAgent } from "./agent-process.ts";
import { errorOf, resultOf } from "./wire-client.ts";

async function wire(steps: readonly unknown[]) {
  await using opened = await openAgent({ turns: [{ steps }] });
  const { agent, sessionId } = opened;
  const before = agent.bytes().length;
  const chunks = agent.chunks.length;
  const answer = await agent.prompt(sessionId, "go");
  return {
    answer,
    agent,
    bytes: agent.bytes().subarray(before),
    chunks: agent.chunks.slice(chunks),
  };
}

test("garbage and bytes are written unchanged", async () => {
  const { bytes } = await wire([{ garbage: "oops {{pid}" }, { bytes: "de ad BE ef 0a" }]);
  expect(bytes.subarray(0, 12).toString()).toBe("oops {{pid}\n");
  expect([...bytes.subarray(12, 17)]).toEqual([0xde, 0xad, 0xbe, 0xef, 0x0a]);
});

test("lines and padded updates have the given length", async () => {
  const update = { sessionUpdate: "available_commands_update", availableCommands: [] };
  const { bytes, agent } = await wire([
    { oversized: { bytes: 100_000 } },
    { oversized: { bytes: 5000, update } },
    { garbage: { bytes: 300 } },
  ]);
  const lengths = bytes
    .toString()
    .split("\n")
    .map((line) => line.length + 1);
  expect(lengths.slice(0, 3)).toEqual([100_000, 5000, 301]);
  expect(agent.updates().at(-1)).toMatchObject(update);
});

test("invalid UTF-8 is inside a line that is otherwise JSON", async () => {
  const { bytes } = await wire([{ invalidUtf8: "caf" }]);
  const line = bytes.subarray(0, bytes.indexOf(10));
  expect(line.includes(Buffer.from([0xc3, 0x28]))).toBe(true);
  expect(() => new TextDecoder("utf-8", { fatal: true }).decode(line)).toThrow("not valid");
  expect(JSON.parse(line.toString("latin1"))).toMatchObject({ method: "session/update" });
});

test("a message is sent unchanged, with an id of any type", async () => {
  await using opened = await openAgent({
    turns: [
      {
        steps: [
          { message: { jsonrpc: "2.0", id: "{{requestId}}", result: {} } },
          { message: { anything: [1, null] } },
        ],
      },
    ],
  });
  const { agent, sessionId } = opened;
  const id = agent.sendPrompt(sessionId, "go");
  await agent.settled(() => agent.messages.filter((message) => message["id"] === id).length === 2);
  expect(agent.messages).toContainEqual({ anything: [1, null] });
});

test("an ending can be an invalid response", async () => {
  const raw = { result: { stopReason: "end_turn" }, error: { code: 1, message: "both" } };
  const { answer } = await wire([{ end: { raw } }]);
  expect(answer).toMatchObject(raw);
  const neither = await wire([{ end: { raw: {} } }]);
  expect(Object.keys(neither.answer)).toEqual(["jsonrpc", "id"]);
});

describe("silence", () => {
  test("holds back every byte, including responses to other requests, and then releases them in order", async () => {
    await using opened = await openAgent({
      turns: [{ steps: [{ say: "hush" }, { silence: 400 }, { say: "again" }] }],
    });
    const { agent, sessionId } = opened;
    const startedAt = performance.now();
    const prompt = agent.sendPrompt(sessionId, "go");
    await agent.settled(() => agent.said() === "hush");
    const other = await agent.request("no/such");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(399);
    expect(errorOf(other)["code"]).toBe(-32601);
    expect(resultOf(await agent.answerTo(prompt))["stopReason"]).toBe("end_turn");
    expect(agent.messages.at(-2)).toMatchObject({
      params: { update: { content: { text: "again" } } },
    });
  });

  test("is not ended by a cancel", async () => {
    await using opened = await openAgent({ turns: [{ steps: [{ say: "x" }, { silence: 400 }] }] });
    const { agent, sessionId } = opened;
    const startedAt = performance.now();
    const prompt = agent.sendPrompt(sessionId, "go");
    await agent.settled(() => agent.said() === "x");
    agent.notify("session/cancel", { sessionId });
    expect(resultOf(await agent.answerTo(prompt))["stopReason"]).toBe("cancelled");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(399);
  });
});

test("answerEarly responds before the updates", async () => {
  await using opened = await openAgent({
    turns: [{ steps: [{ say: "a" }, { answerEarly: "max_tokens" }, { wait: 30 }, { say: "b" }] }],
  });
  const { agent, sessionId } = opened;
  const answer = await agent.prompt(sessionId, "go");
  expect(resultOf(answer)["stopReason"]).toBe("max_tokens");
  expect(agent.said()).toBe("a");
  await agent.settled(() => agent.said() === "ab");
  // There is only one response: the turn's own end is not sent.
  await agent.request("no/such");
  expect(agent.messages.filter(({ id }) => id === answer["id"])).toHaveLength(1);
});

test("repeat counts, and whenClient checks the client's capabilities", async () => {
  const steps = [
    { repeat: { times: 3, steps: [{ say: "{{index}}" }] } },
    {
      whenClient: { has: "fs.readTextFile", steps: [{ say: "+fs" }], otherwise: [{ say: "-fs" }] },
    },
    { whenClient: { has: "session.notices", steps: [{ say: "+n" }] } },
  ];
  await using plain = await openAgent({ turns: [{ steps }] });
  await plain.agent.prompt(plain.sessionId, "go");
  expect(plain.agent.said()).toBe("012-fs");
  const capabilities = { fs: { readTextFile: true }, session: { notices: {} } };
  await using able = await openAgent({ turns: [{ steps }] }, { capabilities });
  await able.agent.prompt(able.sessionId, "go");
  expect(able.agent.said()).toBe("012+fs+n");
});
