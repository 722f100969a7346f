import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { endOfAnotherAgent, openAgent, startAgent } from "./agent-process.ts";

/** Children of a test that may outlive their agent. */
const orphans: number[] = [];

afterEach(() => {
  for (const pid of orphans.splice(0)) {
    if (runs(pid)) process.kill(pid, "SIGKILL");
  }
});

function runs(pid: number): boolean {
  try {
    // An orphan that nobody reaps stays a zombie in some containers.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function busy(scenario: JsonObject) {
  const turns = [{ steps: [{ say: "busy" }], end: "never" }];
  const opened = await openAgent({ turns, ...scenario });
  opened.agent.sendPrompt(opened.sessionId, "go");
  await opened.agent.settled(() => opened.agent.said() === "busy");
  return opened;
}

describe("when stdin closes", () => {
  test("it exits with 0, idle and in a turn", async () => {
    await using idle = startAgent({ turns: [] });
    idle.closeInput();
    expect(await idle.exited).toEqual({ code: 0, signal: null });
    await using opened = await busy({});
    opened.agent.closeInput();
    expect(await opened.agent.exited).toEqual({ code: 0, signal: null });
  });

  test("it exits later and with another code, if configured", async () => {
    await using agent = startAgent({
      process: { stdinClose: { afterMs: 300, code: 7 } },
      turns: [],
    });
    await agent.initialize();
    const startedAt = performance.now();
    agent.closeInput();
    expect(await agent.exited).toEqual({ code: 7, signal: null });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
  });

  test("it stays, but for a limited time", async () => {
    await using agent = startAgent({
      process: { stdinClose: "stay", strayLimitMs: 400 },
      turns: [],
    });
    await agent.initialize();
    const startedAt = performance.now();
    agent.closeInput();
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(399);
  });

  test("it can behave differently during a turn", async () => {
    const habits = { stdinClose: "exit", stdinCloseBusy: { code: 9 } };
    await using opened = await busy({ process: habits });
    opened.agent.closeInput();
    expect(await opened.agent.exited).toEqual({ code: 9, signal: null });
  });

  test.each([
    ["stdin closes", [], 0],
    ["it crashes", [{ crash: 3 }], 3],
  ])("output before %s arrives completely", async (_, last, code) => {
    // More than a pipe holds, sent without waiting for the reader.
    const steps = [{ oneWrite: [{ garbage: { bytes: 8_000_000 } }] }, ...last];
    await using opened = await openAgent({ turns: [{ steps, end: "never" }] });
    const { agent, sessionId } = opened;
    agent.sendPrompt(sessionId, "go");
    if (last.length === 0) agent.closeInput();
    expect((await agent.exited).code).toBe(code);
    await agent.settled(() => agent.noise.length === 1);
    expect(agent.noise[0]).toHaveLength(8_000_000);
  });
});

describe("SIGTERM", () => {
  test("ends it by default", async () => {
    await using opened = await busy({});
    opened.agent.child.kill("SIGTERM");
    expect(await opened.agent.exited).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("ends it with 0", async () => {
    await using opened = await busy({ process: { sigterm: "exit" } });
    opened.agent.child.kill("SIGTERM");
    expect(await opened.agent.exited).toEqual({ code: 0, signal: null });
  });

  test("is ignored, until SIGKILL", async () => {
    await using opened = await busy({ process: { sigterm: "stay" } });
    const { agent } = opened;
    agent.child.kill("SIGTERM");
    await agent.request("no/such");
    agent.child.kill("SIGKILL");
    expect(await agent.exited).toEqual({ code: null, signal: "SIGKILL" });
  });
});

describe("crash", () => {
  test("in the middle of a line leaves half of it", async () => {
    await using opened = await openAgent({
      turns: [{ steps: [{ crash: { code: 5, halfLine: true } }] }],
    });
    const { agent, sessionId } = opened;
    agent.sendPrompt(sessionId, "go");
    expect(await agent.exited).toEqual({ code: 5, signal: null });
    await agent.settled(() => !agent.bytes().toString().endsWith("\n"));
  });

  test("can come at any point: before the first output, or instead of a response", async () => {
    await using early = startAgent({ atStart: [{ crash: 6 }], turns: [] });
    expect((await early.exited).code).toBe(6);
    await using late = startAgent({
      answers: { "session/new": { before: [{ crash: { signal: "SIGABRT" } }] } },
      turns: [],
    });
    await late.initialize();
    late.send("session/new", { cwd: "/", mcpServers: [] });
    expect((await late.exited).signal).toBe("SIGABRT");
  });
});

describe("children", () => {
  test("one is in the agent's group, one in its own session, and all exit by themselves", async () => {
    const steps = [
      { spawn: { forMs: 4000, save: "near" } },
      { spawn: { forMs: 4000, detached: true, ignoresSigterm: true, save: "far" } },
      { say: "[{{near}},{{far}}]" },
    ];
    await using opened = await openAgent({ turns: [{ steps }] });
    const { agent, sessionId } = opened;
    await agent.prompt(sessionId, "go");
    const [near = 0, far = 0] = JSON.parse(agent.said()) as number[];
    orphans.push(near, far);
    const group = (pid: number) =>
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[2];
    expect(group(near)).toBe(group(agent.child.pid ?? 0));
    expect(group(far)).toBe(String(far));
    agent.child.kill("SIGKILL");
    await agent.exited;
    process.kill(far, "SIGTERM");
    expect([runs(near), runs(far)]).toEqual([true, true]);
    await expect.poll(() => [runs(near), runs(far)]).toEqual([false, false]);
  });

  test("stubborn ignores all signals it can, and exits after a limited time", async () => {
    await using opened = await openAgent("stubborn");
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, "go");
    await agent.settled(() => agent.said() !== "");
    const pids = Object.values(JSON.parse(agent.said()) as Record<string, number>);
    orphans.push(...pids);
    agent.notify("session/cancel", { sessionId });
    agent.notify("$/cancel_request", { requestId: prompt });
    agent.child.kill("SIGTERM");
    agent.sendPrompt(sessionId, "another");
    await agent.request("no/such");
    agent.closeInput();
    await endOfAnotherAgent();
    expect([agent.child.exitCode, agent.child.signalCode]).toEqual([null, null]);
    expect(agent.messages.some(({ id }) => id === prompt)).toBe(false);
    agent.child.kill("SIGKILL");
    await agent.exited;
    expect(pids.map(runs)).toEqual([true, true, true]);
    // One of them keeps the agent's stdout open, so its pipe has not ended with the agent.
    expect(agent.child.stdout?.readableEnded).toBe(false);
  });
});

test("stderr is written at a rate", async () => {
  const steps = [{ stderr: "begin" }, { stderr: { lines: 11, bytes: 20, perSecond: 50 } }];
  const startedAt = performance.now();
  await using opened = await openAgent({ turns: [{ steps }] });
  const { agent, sessionId } = opened;
  await agent.prompt(sessionId, "go");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(199);
  await agent.settled(() => agent.stderr.split("\n").length === 13);
  expect(agent.stderr.split("\n").at(-2)).toBe("10 eeeeeeeeeeeeeeeee");
});
