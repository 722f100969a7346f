import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { LandlineError } from "@landline/protocol";
import { expect, test, vi } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";
import { openBuiltInAgentGateway } from "./own-agent.ts";

const childrenOf = (watcher: Watcher) =>
  watcher.events.flatMap((event) =>
    event.kind === "update" && event.child !== undefined ? [event.child] : [],
  );
const startsOf = (watcher: Watcher) =>
  watcher.events.flatMap((event) => (event.kind === "agent-started" ? [event.how] : []));
const usage = { used: 10, size: 100 };

/** Sessions of this agent are `one`, and its copy `copy`. */
const forking = (capabilities: object, fork: object) => ({
  initialize: { agentCapabilities: { loadSession: true, sessionCapabilities: capabilities } },
  session: { ids: ["one", "copy"] },
  turns: [{ match: "/./", steps: [{ say: "{{prompt}}" }] }],
  answers: { "session/fork": fork },
});

test("updates for a fork are not a subagent's, and updates of a subagent are kept", async () => {
  const told = [
    { usage, child: "copy" },
    { say: "at work", child: "helper" },
  ];
  await using gateway = await ScriptedGateway.open({
    agent: forking({ fork: {} }, { before: told, after: told }),
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "tell");
  const forked = await session.fork("tester");
  await turn(session, watcher, "on");
  expect(childrenOf(watcher)).toEqual(["helper", "helper"]);
  expect((await session.view()).subagents).toHaveLength(1);
  using other = new Watcher(forked);
  await turn(forked, other, "on");
  expect(childrenOf(other)).not.toContain("copy");
});

test("a failed fork loses no updates of subagents", async () => {
  const before = [{ say: "at work", child: "helper" }];
  const error = { code: -32603, message: "The disk is full" };
  await using gateway = await ScriptedGateway.open({
    agent: forking({ fork: {} }, { before, error }),
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "tell");
  const forked = await session.fork("tester");
  await watcher.until("update", ({ child }) => child === "helper");
  using other = new Watcher(forked);
  await turn(forked, other, "on");
  expect(startsOf(other)).toEqual(["transcript"]);
});

test("the process that made a fork can't send requests for it", async () => {
  const after = [{ permission: { toolCall: { toolCallId: "1", title: "Erase" } }, child: "copy" }];
  await using gateway = await ScriptedGateway.open({ agent: forking({ fork: {} }, { after }) });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await session.fork("tester");
  await turn(session, watcher, "on");
  expect(watcher.kinds).not.toContain("ask-opened");
});

/** Asked while the agent makes or closes its copy: the end of the session's next turn settles it. */
const held = [{ permission: { toolCall: { toolCallId: "1", title: "Go on" } }, child: "one" }];

test("a fork ends where the agent's copy does, even if the agent closes it slowly", async () => {
  const agent = forking({ fork: {}, close: {} }, {});
  await using gateway = await ScriptedGateway.open({
    agent: { ...agent, answers: { "session/close": { before: held } } },
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "first");
  const made = session.fork("tester");
  await watcher.until("ask-opened");
  await turn(session, watcher, "second");
  const fork = await made;
  expect((await fork.view()).agent.agentSessionId).toBe("copy");
  using other = new Watcher(fork);
  await turn(fork, other, "third");
  expect(other.said).toBe("firstthird");
  expect(startsOf(other)).toEqual(["load"]);
});

test("an agent's copy is not used if a turn began or ended while it was made", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: forking({ fork: {} }, { before: held }),
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "first");
  const made = session.fork("tester");
  await watcher.until("ask-opened");
  await turn(session, watcher, "second");
  const fork = await made;
  // The original has changed, so it cannot be forked again either.
  await turn(session, watcher, "third");
  using other = new Watcher(fork);
  await turn(fork, other, "on");
  expect(startsOf(other)).toEqual(["transcript"]);
});

test("a fork of a session with a title is marked in its title", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const named = await gateway.openSession("agent", { title: "Tidy up" });
  const fork = await named.fork("tester");
  expect(fork.summary.title).toBe("Tidy up (fork)");
  expect((await fork.view()).session.title).toBe("Tidy up (fork)");
  expect(named.summary.title).toBe("Tidy up");
  const unnamed = await (await gateway.openSession("agent")).fork("tester");
  expect(unnamed.summary.title).toBeNull();
});

test.each([
  ["Tidy up (fork)", "Tidy up (fork 2)"],
  ["Tidy up (fork 2)", "Tidy up (fork 3)"],
  ["Tidy up (fork 9)", "Tidy up (fork 10)"],
  ["(fork)", "(fork) (fork)"],
  ["Explain (fork) to me", "Explain (fork) to me (fork)"],
])("a fork of %j is %j", async (title, forked) => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const session = await gateway.openSession("agent", { title });
  const fork = await session.fork("tester");
  expect(fork.summary.title).toBe(forked);
});

const titlesOf = async (gateway: ScriptedGateway) =>
  (await gateway.sessions.list({})).sessions.map(({ title }) => title ?? "").toSorted();

test("forks have unique titles, even when made concurrently or after a restart", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const session = await gateway.openSession("agent", { title: "Tidy up" });
  const [first] = await Promise.all([session.fork("tester"), session.fork("tester")]);
  await first.fork("tester");
  expect(await titlesOf(gateway)).toEqual([
    "Tidy up",
    "Tidy up (fork 2)",
    "Tidy up (fork 3)",
    "Tidy up (fork)",
  ]);
  await gateway.restart();
  const again = await gateway.sessions.get(session.id);
  expect((await again.fork("tester")).summary.title).toBe("Tidy up (fork 4)");
  await gateway.sessions.delete(first.id, "tester");
  expect((await again.fork("tester")).summary.title).toBe(first.summary.title);
});

test("a fork of a session without a title is named after its first prompt", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "Sweep the floor");
  expect((await session.fork("tester")).summary.title).toBe("Sweep the floor (fork)");
  expect((await session.fork("tester")).summary.title).toBe("Sweep the floor (fork 2)");
  expect(session.summary.title).toBeNull();
});

test("the title of a fork stays within the limit and keeps its number", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const session = await gateway.openSession("agent", { title: "word ".repeat(200) });
  const forks = [await session.fork("tester"), await session.fork("tester")];
  const titles = forks.map(({ summary }) => summary.title ?? "");
  expect(titles[0]).toMatch(/ \(fork\)$/);
  expect(titles[1]).toMatch(/ \(fork 2\)$/);
  for (const title of titles) expect(title.length).toBeLessThanOrEqual(1_000);
  expect(await titlesOf(gateway)).toEqual(expect.arrayContaining(titles));
});

const remembering = (more: object = {}) => ({
  initialize: { agentCapabilities: { loadSession: true, sessionCapabilities: { fork: {} } } },
  turns: [{ match: "/./", steps: [{ say: "{{prompt}}" }] }],
  ...more,
});

/** A session in which a turn has ended. */
async function talked(gateway: ScriptedGateway, agent = "agent") {
  const session = await gateway.openSession(agent);
  using watcher = new Watcher(session);
  await turn(session, watcher, "list");
  return session;
}

async function restarted(gateway: ScriptedGateway, sessionId: string) {
  await gateway.restart();
  return gateway.sessions.get(sessionId);
}

/** How the agent got the conversation, with the next prompt. */
async function wayOf(session: Session) {
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "list")).toMatchObject({ stopReason: "end_turn" });
  return startsOf(watcher).at(-1);
}

test("a fork without prompts continues with the agent's copy after a restart", async () => {
  await using gateway = await ScriptedGateway.open({ agent: remembering() });
  const session = await talked(gateway);
  const fork = await session.fork("tester");
  // Later events there do not matter for a copy that the agent has stored.
  expect(await wayOf(session)).toBe("new");
  expect(await wayOf(await restarted(gateway, fork.id))).toBe("load");
});

test("the agent forks a fork that has no prompts", async () => {
  await using gateway = await ScriptedGateway.open({ agent: remembering() });
  const fork = await (await talked(gateway)).fork("tester");
  const second = await fork.fork("tester");
  const third = await second.fork("tester");
  expect(await wayOf(third)).toBe("fork");
  expect(await wayOf(second)).toBe("fork");
  expect(await wayOf(fork)).toBe("load");
  const ids = await Promise.all(
    [fork, second, third].map(async (one) => (await one.view()).agent.agentSessionId),
  );
  expect(new Set(ids).size).toBe(3);
});

test("history that an agent replays for a fork is not logged again", async () => {
  const before = [{ say: "Once upon a time" }];
  await using gateway = await ScriptedGateway.open({
    agent: remembering({ answers: { "session/fork": { before } } }),
  });
  const session = await restarted(gateway, (await talked(gateway)).id);
  const fork = await session.fork("tester");
  expect(await wayOf(fork)).toBe("fork");
  using watcher = new Watcher(fork);
  const { seq } = await watcher.until("agent-started");
  await watcher.until("turn-ended", () => true, seq);
  expect(watcher.said).toBe("listlist");
});

test("a lost copy is made again if nothing has happened since", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: remembering({ session: { forgets: "forked" } }),
  });
  const session = await talked(gateway);
  const one = await session.fork("tester");
  const other = await one.fork("tester");
  expect(await wayOf(one)).toBe("fork");
  // The nearest one has continued, and nothing beyond it is considered.
  expect(await wayOf(other)).toBe("transcript");
  const third = await session.fork("tester");
  const again = await restarted(gateway, third.id);
  expect(await wayOf(await gateway.sessions.get(session.id))).toBe("load");
  expect(await wayOf(again)).toBe("transcript");
});

/** A prompt that no agent receives, because none could be started. */
async function failToStart(gateway: ScriptedGateway, session: Session) {
  const file = join(gateway.folder, "agent.json");
  await rename(file, `${file}.away`);
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "list")).toMatchObject({ stopReason: "failed" });
  await rename(`${file}.away`, file);
}

test("prompts that failed before the agent started do not prevent a new copy", async () => {
  // So few that the prompt of the copied turn is not among them.
  await using gateway = await ScriptedGateway.open({ agent: remembering() }, { snapshotItems: 4 });
  const session = await talked(gateway);
  await session.close("tester");
  const fork = await session.fork("tester");
  await failToStart(gateway, fork);
  const second = await fork.fork("tester");
  await failToStart(gateway, second);
  const third = await fork.fork("tester");
  expect(await wayOf(second)).toBe("fork");
  expect(await wayOf(fork)).toBe("fork");
  expect(await wayOf(await gateway.sessions.get(session.id))).toBe("load");
  expect(await wayOf(third)).toBe("transcript");
});

test("an interrupted turn in the fork prevents a new copy of the original", async () => {
  const turns = [
    { match: "/^wait$/", steps: [{ say: "Wait" }], end: "never" },
    { match: "/./", steps: [{ say: "{{prompt}}" }] },
  ];
  await using gateway = await ScriptedGateway.open({
    agent: remembering({ session: { forgets: "forked" }, turns }),
  });
  const session = await talked(gateway);
  using watcher = new Watcher(session);
  await session.prompt("w", [{ type: "text", text: "wait" }], "tester");
  await watcher.until("update", ({ update }) => JSON.stringify(update).includes("Wait"));
  const fork = await session.fork("tester");
  await session.cancel("tester");
  await watcher.until("turn-ended", ({ stopReason }) => stopReason === "cancelled");
  expect(await wayOf(fork)).toBe("transcript");
});

test("an agent that still needs the transcript is not forked", async () => {
  const modes = { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] };
  await using gateway = await ScriptedGateway.open({
    agent: {
      ...remembering({ session: { modes } }),
      initialize: { agentCapabilities: { sessionCapabilities: { fork: {} } } },
    },
  });
  const session = await restarted(gateway, (await talked(gateway)).id);
  await session.setMode("a", "tester");
  const fork = await session.fork("tester");
  expect(await wayOf(fork)).toBe("transcript");
});

test("a fork of the built-in agent continues from its fork point, after a restart and when forked again", async () => {
  await using gateway = await openBuiltInAgentGateway();
  const fork = await (await talked(gateway, "landline")).fork("tester");
  const second = await fork.fork("tester");
  await gateway.restart();
  const { sessions } = gateway;
  expect(await wayOf(await sessions.get(second.id))).toBe("fork");
  expect(await wayOf(await sessions.get(fork.id))).toBe("resume");
});

test("a fork of the built-in agent continues from its fork point and leaves nothing in its parent", async () => {
  await using gateway = await openBuiltInAgentGateway();
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  await turn(session, watcher, "list");
  const forked = await session.fork("tester");
  await turn(session, watcher, "list");
  expect(childrenOf(watcher)).toEqual([]);
  using other = new Watcher(forked);
  expect(await turn(forked, other, "list")).toMatchObject({ stopReason: "end_turn" });
  expect(startsOf(other)).toEqual(["resume"]);
  expect(childrenOf(other)).toEqual([]);
});

test("a fork that was made while its agent waited for a slot does not wait itself", async () => {
  const permission = { permission: { toolCall: { toolCallId: "1", title: "Go on" } } };
  const agent = { turns: [{ steps: [permission] }] };
  await using gateway = await ScriptedGateway.open({ agent }, { agentsRunning: 1 });
  const first = await gateway.openSession("agent");
  await first.prompt("p1", [{ type: "text", text: "go" }], "tester");
  const second = await gateway.openSession("agent");
  using watcher = new Watcher(second);
  await watcher.until("agent-waiting");
  const fork = await second.fork("tester");
  expect((await fork.view()).agent.waiting).toBeUndefined();
});

test("a fork that could not be copied leaves nothing behind", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  const session = await gateway.openSession("agent", { title: "Tidy up" });
  const before = await readdir(join(gateway.data, "sessions"));
  const read = vi.spyOn(session.log, "read").mockImplementation(() => {
    throw new LandlineError("disk-failed");
  });
  await expect(session.fork("tester")).rejects.toMatchObject({ code: "disk-failed" });
  read.mockRestore();
  expect(await readdir(join(gateway.data, "sessions"))).toEqual(before);
});
