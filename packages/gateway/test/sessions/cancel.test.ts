import { expect, test } from "vitest";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";

/** For agents that ignore a step; an agent that honours a step has unlimited time. */
const quick = { cancelRequestMs: 150, cancelRestartMs: 150 };
const waits = (cancel: object) => ({
  initialize: { agentCapabilities: { loadSession: true } },
  turns: [
    { match: "wait", steps: [{ say: "waiting" }], end: "never", cancel },
    { match: "/./", steps: [{ say: "on" }] },
  ],
});
const rungs = (watcher: Watcher) =>
  watcher.events.flatMap((event) => (event.kind === "turn-changed" ? [event.rung] : []));

async function cancelled(gateway: ScriptedGateway, agent: string) {
  const session = await gateway.openSession(agent);
  const watcher = new Watcher(session);
  await session.prompt("p", text("wait"), "tester");
  await watcher.until("update");
  await session.cancel("somebody");
  const ended = await watcher.until("turn-ended");
  return { session, watcher, ended };
}

test("an agent that honours a cancel ends its turn, and its last output is kept", async () => {
  await using gateway = await ScriptedGateway.open({ agent: waits({ steps: [{ say: " bye" }] }) });
  const { session, watcher, ended } = await cancelled(gateway, "agent");
  expect(ended.stopReason).toBe("cancelled");
  expect(rungs(watcher)).toEqual(["cancel"]);
  expect(watcher.said).toBe("waiting bye");
  expect(await turn(session, watcher, "next")).toMatchObject({ stopReason: "end_turn" });
});

test("one that ignores it has its request withdrawn", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: waits({ habit: "ignore" }) },
    { cancelRequestMs: 150 },
  );
  const { watcher, ended } = await cancelled(gateway, "agent");
  expect(ended.stopReason).toBe("cancelled");
  expect(rungs(watcher)).toEqual(["cancel", "cancel-request"]);
});

test("one that ignores everything is ended, and restarted by the next prompt", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: { ...waits({ habit: "ignore" }), cancelRequest: "ignore" } },
    quick,
  );
  const { session, watcher, ended } = await cancelled(gateway, "agent");
  expect(ended.stopReason).toBe("cancelled");
  expect(rungs(watcher)).toEqual(["cancel", "cancel-request", "restart"]);
  expect(watcher.kinds).toContain("agent-exited");
  expect(await turn(session, watcher, "next")).toMatchObject({ stopReason: "end_turn" });
  const starts = watcher.events.flatMap((event) =>
    event.kind === "agent-started" ? [event.how] : [],
  );
  expect(starts).toEqual(["new", "load"]);
  expect(watcher.said).toBe("waitingon");
});

test("a prompt is cancelled by its id once, in the queue or in its turn, and no other is", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: waits({ habit: "ignore" }) },
    { cancelRequestMs: 3_600_000 },
  );
  const session = await gateway.openSession("agent");
  const watcher = new Watcher(session);
  await session.prompt("p", text("wait"), "tester");
  await watcher.until("update");
  await session.prompt("q", text("next"), "tester");
  for (const promptId of ["unknown", "q", "q"]) await session.cancel("somebody", promptId);
  expect(rungs(watcher)).toEqual([]);
  expect(await watcher.until("prompt-withdrawn")).toMatchObject({ promptId: "q" });
  for (const promptId of ["p", "p"]) await session.cancel("somebody", promptId);
  await watcher.until("turn-changed");
  expect(rungs(watcher)).toEqual(["cancel"]);
});

test("open requests are settled as cancelled, and the agent is notified", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: {
      turns: [
        {
          steps: [
            {
              permission: {
                toolCall: { toolCallId: "t", title: "Do it" },
                on: { cancelled: [{ say: "heard" }, { end: "cancelled" }] },
              },
            },
          ],
        },
      ],
      cancel: { habit: "ignore" },
    },
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await session.prompt("p", text("go"), "tester");
  const ask = await watcher.until("ask-opened");
  await session.cancel("somebody");
  const ended = await watcher.until("turn-ended");
  expect(ended.stopReason).toBe("cancelled");
  expect(await watcher.until("ask-settled")).toMatchObject({
    askId: ask.askId,
    outcome: { outcome: "cancelled" },
    by: { gateway: "turn-cancelled" },
  });
  await expect(
    session.answer(ask.askId, { outcome: "selected", optionId: "allow" }, "late"),
  ).rejects.toMatchObject({ code: "ask-already-settled" });
});

test("a cancel with no turn running does nothing", async () => {
  await using gateway = await ScriptedGateway.open({ agent: waits({}) });
  const session = await gateway.openSession("agent");
  const { visible: head } = session.log;
  await session.cancel("somebody");
  expect(session.log.visible).toBe(head);
});

test("a silent turn is marked as stalled, and as running when the agent speaks again", async () => {
  await using gateway = await ScriptedGateway.open(
    // It waits for an answer, so that its output and the end of its turn are not one read.
    {
      agent: {
        turns: [
          {
            steps: [
              { wait: 600 },
              { say: "back" },
              { readFile: { path: "{{cwd}}/none", on: { error: [] } } },
            ],
          },
        ],
      },
    },
    { turnIdleMs: 200 },
  );
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  const states = watcher.events.flatMap((event) =>
    event.kind === "turn-changed" ? [event.state] : [],
  );
  // On a busy machine the answer may take long enough for another "stalled".
  expect(states.slice(0, 2)).toEqual(["stalled", "running"]);
});

test("a turn that waits for a person is not stalled", async () => {
  await using gateway = await ScriptedGateway.open(
    {
      agent: { turns: [{ steps: [{ permission: { toolCall: { toolCallId: "t" } } }] }] },
      silent: waits({}),
    },
    { turnIdleMs: 50 },
  );
  const other = await gateway.openSession("silent");
  using otherWatcher = new Watcher(other);
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await session.prompt("p", text("go"), "tester");
  const ask = await watcher.until("ask-opened");
  // The other turn is silent since later than this one, long enough to be stalled.
  await other.prompt("p", text("wait"), "tester");
  await otherWatcher.until("turn-changed", ({ state }) => state === "stalled");
  // The agent itself may have been slow to ask.
  const since = watcher.events.filter(({ seq }) => seq > ask.seq);
  expect(since).not.toContainEqual(expect.objectContaining({ state: "stalled" }));
  expect(session.summary.state).toBe("needs-answer");
  if (ask.ask !== "permission") throw new Error("not a permission");
  await session.answer(
    ask.askId,
    { outcome: "selected", optionId: ask.options[0]!.optionId },
    "tester",
  );
  await watcher.until("turn-ended");
});

test("seed 003's time limit ends a turn", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: waits({}) },
    { promptMs: 200 },
    { profile: "spec" },
  );
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await session.prompt("p", text("wait"), "tester");
  expect(await watcher.until("turn-ended")).toMatchObject({
    stopReason: "failed",
    error: { code: "timeout" },
  });
});
