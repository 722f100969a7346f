import { expect, test } from "vitest";
import { House, turn, Watcher } from "./house.ts";
import { houseOfOurs } from "./own-agent.ts";

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

test("what an agent says of the copy is no subagent's, and what a subagent says stays one's", async () => {
  const told = [
    { usage, child: "copy" },
    { say: "at work", child: "helper" },
  ];
  await using house = await House.open({
    agent: forking({ fork: {} }, { before: told, after: told }),
  });
  const session = await house.openSession("agent");
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

test("an agent that can't copy after all has lost nothing that its subagents said", async () => {
  const before = [{ say: "at work", child: "helper" }];
  const error = { code: -32603, message: "The disk is full" };
  await using house = await House.open({ agent: forking({ fork: {} }, { before, error }) });
  const session = await house.openSession("agent");
  using watcher = new Watcher(session);
  const forked = await session.fork("tester");
  await watcher.until("update", ({ child }) => child === "helper");
  using other = new Watcher(forked);
  await turn(forked, other, "on");
  expect(startsOf(other)).toEqual(["transcript"]);
});

test("nobody is asked for the copy in the process that made it", async () => {
  const after = [{ permission: { toolCall: { toolCallId: "1", title: "Erase" } }, child: "copy" }];
  await using house = await House.open({ agent: forking({ fork: {} }, { after }) });
  const session = await house.openSession("agent");
  using watcher = new Watcher(session);
  await session.fork("tester");
  await turn(session, watcher, "on");
  expect(watcher.kinds).not.toContain("ask-opened");
});

test("a fork says in its title what it is, and one without a title has none", async () => {
  await using house = await House.open({ agent: {} });
  const named = await house.openSession("agent", { title: "Tidy up" });
  const fork = await named.fork("tester");
  expect(fork.summary.title).toBe("Tidy up (fork)");
  expect((await fork.view()).session.title).toBe("Tidy up (fork)");
  expect(named.summary.title).toBe("Tidy up");
  const unnamed = await (await house.openSession("agent")).fork("tester");
  expect(unnamed.summary.title).toBeNull();
});

test.each([
  ["Tidy up (fork)", "Tidy up (fork 2)"],
  ["Tidy up (fork 2)", "Tidy up (fork 3)"],
  ["Tidy up (fork 9)", "Tidy up (fork 10)"],
  ["(fork)", "(fork) (fork)"],
  ["Explain (fork) to me", "Explain (fork) to me (fork)"],
])("a fork of %j is %j", async (title, forked) => {
  await using house = await House.open({ agent: {} });
  const session = await house.openSession("agent", { title });
  const fork = await session.fork("tester");
  expect(fork.summary.title).toBe(forked);
});

test("a fork of our own agent goes on where it was made, and leaves nothing at its parent", async () => {
  await using house = await houseOfOurs();
  const session = await house.openSession("landline");
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
