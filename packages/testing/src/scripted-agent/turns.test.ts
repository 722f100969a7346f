import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { fits } from "./pick-turn.ts";
import { openAgent, type AgentProcess } from "./agent-process.ts";
import { errorOf, resultOf } from "./wire-client.ts";

const hanging = { steps: [{ say: "started" }], end: "never" };

async function begun(scenario: JsonObject) {
  const opened = await openAgent(scenario);
  const prompt = opened.agent.sendPrompt(opened.sessionId, "go");
  await opened.agent.settled(() => opened.agent.said().includes("started"));
  return { ...opened, prompt };
}

async function saidBy(agent: AgentProcess, sessionId: string, text: string): Promise<string> {
  const before = agent.said().length;
  await agent.prompt(sessionId, text);
  return agent.said().slice(before);
}

describe("picking a turn", () => {
  test("a match comes first, the others in order, then the last one repeatedly", async () => {
    const turns = [
      { steps: [{ say: "first" }] },
      { match: "special", steps: [{ say: "matched" }] },
      { match: "/^ONCE$/i", times: 1, steps: [{ say: "once" }] },
      { steps: [{ say: "second" }], times: 2 },
    ];
    await using opened = await openAgent({ turns });
    const { agent, sessionId } = opened;
    const said: string[] = [];
    for (const text of ["a", "something special", "once", "once", "b", "c", "d"]) {
      said.push(await saidBy(agent, sessionId, text));
    }
    expect(said).toEqual(["first", "matched", "once", "second", "second", "second", "second"]);
    // Each session starts at the first turn.
    expect(await saidBy(agent, await agent.newSession(), "a")).toBe("first");
  });

  test("exhausted turns start again, or are an error", async () => {
    const turns = [{ steps: [{ say: "1" }] }, { steps: [{ say: "2" }] }];
    await using again = await openAgent({ turns, whenTurnsRunOut: "again" });
    for (const text of ["a", "b", "c"]) await again.agent.prompt(again.sessionId, text);
    expect(again.agent.said()).toBe("121");
    await using once = await openAgent({ turns, whenTurnsRunOut: "error" });
    for (const text of ["a", "b"]) await once.agent.prompt(once.sessionId, text);
    const third = await once.agent.prompt(once.sessionId, "c");
    expect(errorOf(third)["message"]).toContain("no turn");
  });

  test("a match is a text or a pattern", () => {
    expect(fits("a.c", "xabcx")).toBe(false);
    expect(fits("/a.c/", "xabcx")).toBe(true);
    expect(fits("/A.C/", "xabcx")).toBe(false);
    expect(fits("/A.C/i", "xabcx")).toBe(true);
    expect(fits("/", "a/b")).toBe(true);
  });
});

describe("cancel", () => {
  test("is honoured immediately: trailing steps, then cancelled", async () => {
    await using turn = await begun({
      turns: [{ ...hanging, cancel: { steps: [{ say: ", cleaned up" }] } }],
    });
    turn.agent.notify("session/cancel", { sessionId: turn.sessionId });
    expect(resultOf(await turn.agent.answerTo(turn.prompt))).toEqual({ stopReason: "cancelled" });
    expect(turn.agent.said()).toBe("started, cleaned up");
  });

  test("is honoured late", async () => {
    await using turn = await begun({ cancel: { afterMs: 300 }, turns: [hanging] });
    const startedAt = performance.now();
    turn.agent.notify("session/cancel", { sessionId: turn.sessionId });
    await turn.agent.answerTo(turn.prompt);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
  });

  test("is ignored", async () => {
    const steps = [{ say: "started" }, { wait: 200 }, { say: " and done" }];
    await using turn = await begun({ cancel: { habit: "ignore" }, turns: [{ steps }] });
    turn.agent.notify("session/cancel", { sessionId: turn.sessionId });
    expect(resultOf(await turn.agent.answerTo(turn.prompt))["stopReason"]).toBe("end_turn");
    expect(turn.agent.said()).toBe("started and done");
  });

  test.each([
    ["end_turn", { result: { stopReason: "end_turn" } }],
    [{ error: { code: -32603, message: "no" } }, { error: { code: -32603, message: "no" } }],
  ])("can be answered with %j", async (end, expected) => {
    await using turn = await begun({ cancel: { end }, turns: [hanging] });
    turn.agent.notify("session/cancel", { sessionId: turn.sessionId });
    expect(await turn.agent.answerTo(turn.prompt)).toMatchObject(expected);
  });

  test("abandons a waiting request, or cancels it", async () => {
    const toolCall = { toolCallId: "t" };
    const steps = [{ say: "started" }, { permission: { toolCall } }];
    const answers = { "session/request_permission": () => "never" as const };
    const scenario = { requestIds: "uuids", cancel: { cancelsRequests: true }, turns: [{ steps }] };
    await using opened = await openAgent(scenario, { answers });
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, "go");
    const asked = await agent.until(({ method }) => method === "session/request_permission");
    agent.notify("session/cancel", { sessionId });
    await agent.answerTo(prompt);
    const cancelled = agent.messages.find(({ method }) => method === "$/cancel_request");
    expect(cancelled?.["params"]).toEqual({ requestId: asked["id"] });
    // A late answer causes no error.
    agent.write({ jsonrpc: "2.0", id: asked["id"], result: { outcome: { outcome: "cancelled" } } });
    expect(errorOf(await agent.request("no/such"))["code"]).toBe(-32601);
  });

  test("of another session changes nothing", async () => {
    await using turn = await begun({ turns: [hanging] });
    turn.agent.notify("session/cancel", { sessionId: "another" });
    await turn.agent.request("no/such");
    expect(turn.agent.messages.some(({ id }) => id === turn.prompt)).toBe(false);
  });

  test("in the same write as its prompt finds the turn", async () => {
    await using opened = await openAgent({ turns: [hanging] });
    const { agent, sessionId } = opened;
    const params = { sessionId, prompt: [] };
    agent.raw(
      `${JSON.stringify({ jsonrpc: "2.0", id: 50, method: "session/prompt", params })}\n${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })}\n`,
    );
    expect(resultOf(await agent.answerTo(50))["stopReason"]).toBe("cancelled");
  });
});

describe("$/cancel_request", () => {
  test("ends a prompt with -32800", async () => {
    await using turn = await begun({ turns: [hanging] });
    turn.agent.notify("$/cancel_request", { requestId: turn.prompt });
    expect(errorOf(await turn.agent.answerTo(turn.prompt))["code"]).toBe(-32800);
  });

  test("removes a waiting prompt from the queue", async () => {
    await using turn = await begun({ turns: [hanging] });
    const waiting = turn.agent.sendPrompt(turn.sessionId, "later");
    turn.agent.notify("$/cancel_request", { requestId: waiting });
    expect(errorOf(await turn.agent.answerTo(waiting))["code"]).toBe(-32800);
    expect(turn.agent.messages.some(({ id }) => id === turn.prompt)).toBe(false);
  });

  test("ends a slow answer with -32800", async () => {
    await using opened = await openAgent({
      answers: { "session/list": { delayMs: 60_000 } },
      turns: [],
    });
    const slow = opened.agent.send("session/list");
    opened.agent.notify("$/cancel_request", { requestId: slow });
    expect(errorOf(await opened.agent.answerTo(slow))["code"]).toBe(-32800);
  });

  test("is ignored", async () => {
    const steps = [{ say: "started" }, { wait: 200 }];
    await using turn = await begun({ cancelRequest: "ignore", turns: [{ steps }] });
    turn.agent.notify("$/cancel_request", { requestId: turn.prompt });
    expect(resultOf(await turn.agent.answerTo(turn.prompt))["stopReason"]).toBe("end_turn");
  });
});

describe("a second prompt while one runs", () => {
  const error = { code: -32602, message: "busy" };
  const steps = [{ say: "started" }, { wait: 150 }];

  async function both(secondPrompt: unknown) {
    await using turn = await begun({ secondPrompt, turns: [{ steps }, { steps: [{ say: "2" }] }] });
    const second = turn.agent.sendPrompt(turn.sessionId, "again");
    const first = await turn.agent.answerTo(turn.prompt);
    const order = () => turn.agent.messages.map(({ id }) => id);
    const answered = secondPrompt === "never" ? undefined : await turn.agent.answerTo(second);
    if (secondPrompt === "never") await turn.agent.request("no/such");
    return {
      first,
      second: answered,
      firstFirst:
        !order().includes(second) || order().indexOf(turn.prompt) < order().indexOf(second),
    };
  }

  test("waits for its turn", async () => {
    const { first, second, firstFirst } = await both("queue");
    expect([resultOf(first), resultOf(second!), firstFirst]).toEqual([
      { stopReason: "end_turn" },
      { stopReason: "end_turn" },
      true,
    ]);
  });

  test("runs in parallel", async () => {
    const { second, firstFirst } = await both("parallel");
    expect([resultOf(second!), firstFirst]).toEqual([{ stopReason: "end_turn" }, false]);
  });

  test("is rejected", async () => {
    const { first, second } = await both({ reject: error });
    expect(resultOf(first)["stopReason"]).toBe("end_turn");
    expect(errorOf(second!)).toEqual(error);
  });

  test("cancels the first, which is answered first", async () => {
    const { first, second, firstFirst } = await both("cancelFirst");
    expect([resultOf(first), resultOf(second!), firstFirst]).toEqual([
      { stopReason: "cancelled" },
      { stopReason: "end_turn" },
      true,
    ]);
  });

  test("makes the first fail", async () => {
    const { first, second } = await both({ failFirst: error });
    expect(errorOf(first)).toEqual(error);
    expect(resultOf(second!)["stopReason"]).toBe("end_turn");
  });

  test("is never answered", async () => {
    const { first, second } = await both("never");
    expect(resultOf(first)["stopReason"]).toBe("end_turn");
    expect(second).toBeUndefined();
  });
});

test("sessions of one process run at the same time", async () => {
  await using turn = await begun({ turns: [hanging] });
  const other = await turn.agent.newSession();
  const prompt = turn.agent.sendPrompt(other, "go");
  await turn.agent.settled(() => turn.agent.said() === "startedstarted");
  turn.agent.notify("session/cancel", { sessionId: other });
  expect(resultOf(await turn.agent.answerTo(prompt))["stopReason"]).toBe("cancelled");
  expect(turn.agent.messages.some(({ id }) => id === turn.prompt)).toBe(false);
});
