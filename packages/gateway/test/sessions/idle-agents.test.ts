import { waitingText } from "@landline/protocol";
import { expect, test } from "vitest";
import type { LiveSession } from "../../src/sessions/session.ts";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";

const comesBack = { agentCapabilities: { sessionCapabilities: { resume: {} } } };
const turns = [
  { match: "silence", steps: [{ silence: "forever" }] },
  { match: "permission", steps: [{ permission: { toolCall: { toolCallId: "c", title: "rm" } } }] },
  {
    match: "terminal",
    steps: [{ answerEarly: "end_turn" }, { createTerminal: { command: "sleep", args: ["600"] } }],
  },
  { match: "/./", steps: [{ say: "Hello." }] },
];
const agent = { initialize: comesBack, turns };
const hows = (watcher: Watcher) =>
  watcher.events.flatMap((event) => (event.kind === "agent-started" ? [event.how] : []));

test("an idle agent is ended, and the next prompt starts it again", async () => {
  await using gateway = await ScriptedGateway.open({ agent }, { agentIdleMs: 100 });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  expect(await watcher.until("agent-exited")).toMatchObject({ because: "idle" });
  expect((await session.view()).agent).toMatchObject({ state: "exited" });
  expect(await turn(session, watcher, "more")).toMatchObject({ stopReason: "end_turn" });
  // On a busy machine it may also have been idle before its first prompt.
  expect(new Set(hows(watcher))).toEqual(new Set(["new", "resume"]));
});

test("an agent with a turn, an open request, a terminal or no restore method is not ended", async () => {
  // Long enough for the agent to open a terminal after its turn has ended.
  const limits = { agentIdleMs: 2_000 };
  await using gateway = await ScriptedGateway.open({ agent, lost: { turns } }, limits);
  const busy: { session: Session; watcher: Watcher; since: number }[] = [];
  using stack = new DisposableStack();
  for (const [name, prompt, kind] of [
    ["agent", "silence", "turn-started"],
    ["agent", "permission", "ask-opened"],
    ["agent", "terminal", "terminal-opened"],
    ["lost", "go", "turn-ended"],
  ] as const) {
    const session = await gateway.openSession(name);
    const watcher = stack.use(new Watcher(session));
    await session.prompt(prompt, text(prompt), "tester");
    busy.push({ session, watcher, since: (await watcher.until(kind)).seq });
  }
  // Idle since later than all of them.
  const idle = await gateway.openSession("agent");
  using watcher = new Watcher(idle);
  await watcher.until("agent-exited");
  for (const { session, watcher: each, since } of busy) {
    const later = each.events.filter(({ seq }) => seq > since);
    expect(later.map(({ kind }) => kind)).not.toContain("agent-exited");
    // The exit is recorded only when the process has ended, which may take longer.
    expect((session as LiveSession).state.now.agent).toBe("ready");
  }
});

test("a session beyond the agent limit reports that it waits, and starts when another agent is idle", async () => {
  await using gateway = await ScriptedGateway.open({ agent }, { agentsRunning: 1 });
  const first = await gateway.openSession("agent");
  using firstWatcher = new Watcher(first);
  await first.prompt("p1", text("permission"), "tester");
  const { askId, ...ask } = await firstWatcher.until("ask-opened");

  const second = await gateway.openSession("agent");
  using secondWatcher = new Watcher(second);
  const waiting = await secondWatcher.until("agent-waiting");
  expect(waitingText(waiting)).toBe("Waiting for a free agent: 1 of 1 are running.");
  expect((await second.view()).agent.waiting).toEqual({ running: 1, limit: 1 });
  await second.prompt("p2", text("go"), "tester");

  const optionId = ask.ask === "permission" ? (ask.options[0]?.optionId ?? "") : "";
  await first.answer(askId, { outcome: "selected", optionId }, "tester");
  expect(await firstWatcher.until("agent-exited")).toMatchObject({ because: "room" });
  expect(await secondWatcher.until("turn-ended")).toMatchObject({ stopReason: "end_turn" });
  expect((await second.view()).agent.waiting).toBeUndefined();
  // Now the second one is idle, and is ended.
  expect(await turn(first, firstWatcher, "back")).toMatchObject({ stopReason: "end_turn" });
  expect(firstWatcher.kinds).not.toContain("agent-waiting");
  expect(hows(firstWatcher)).toEqual(["new", "resume"]);
});

test("a prompt that waits for an agent can be cancelled, and its session closed", async () => {
  await using gateway = await ScriptedGateway.open({ agent }, { agentsRunning: 1 });
  const first = await gateway.openSession("agent");
  await first.prompt("p1", text("permission"), "tester");
  const second = await gateway.openSession("agent");
  using watcher = new Watcher(second);
  await second.prompt("p2", text("go"), "tester");
  await second.prompt("p3", text("go"), "tester");
  await watcher.until("agent-waiting");
  await second.close("tester");
  await watcher.until("session-closed");
  const third = await gateway.openSession("agent");
  using thirdWatcher = new Watcher(third);
  await third.close("tester");
  await third.prompt("p4", text("go"), "tester");
  await thirdWatcher.until(
    "agent-waiting",
    () => true,
    (await thirdWatcher.until("session-closed")).seq,
  );
  await third.cancel("tester");
  expect(await thirdWatcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
  expect((await third.view()).agent.waiting).toBeUndefined();
});
