import { cp, lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";
import { houseOfOurs } from "./own-agent.ts";

const select = (id: string, category: string | null, values: readonly string[]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue: values[0],
  options: values.map((value) => ({ value, name: `The ${value}` })),
});

const modesOf = (currentModeId: string, ids: readonly string[]) => ({
  currentModeId,
  availableModes: ids.map((id) => ({ id, name: `The ${id}` })),
});

/** Says what is chosen, as it knows it itself. */
const scenario = (session: object, answers: object = {}) => ({
  initialize: { agentCapabilities: { loadSession: true } },
  session,
  answers,
  turns: [
    { match: "crash", steps: [{ crash: 1 }] },
    { match: "/./", steps: [{ say: "{{options.mode}} " }] },
  ],
});

/** What the person is told after the agent was started again. */
const told = ({ events }: Watcher) =>
  events.flatMap((event) =>
    event.kind === "error" && event.code.startsWith("choice-")
      ? [{ code: event.code, message: event.message, help: event.help }]
      : [],
  );

const claude = ["default", "acceptEdits", "plan", "bypassPermissions"];

test.each([
  ["claude", claude, "default", "acceptEdits", "ended with the agent"],
  ["claude", claude, "default", "bypassPermissions", "ended with the agent"],
  ["gemini", ["default", "autoEdit", "yolo", "plan"], "default", "yolo", "ended with the agent"],
  ["codex", ["read-only", "agent", "agent-full-access"], "read-only", "agent-full-access", "ended"],
  ["unheard-of", ["careful", "quick"], "careful", "quick", "the agent was started again."],
])("%s, with %j, goes back to the mode %s from %s", async (id, ids, start, chosen, why) => {
  await using house = await ScriptedGateway.open({
    [id]: scenario({ modes: modesOf(start, ids) }),
  });
  const session = await house.openSession(id);
  using watcher = new Watcher(session);
  await session.setMode(chosen, "tester");
  await turn(session, watcher, "which");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(watcher.said).toBe(`${chosen} ${start} `);
  expect((await session.view()).modes?.currentModeId).toBe(start);
  expect(told(watcher)).toEqual([
    {
      code: "choice-ended",
      message: expect.stringContaining(`Mode is back to The ${start}: `),
      help: `Choose The ${chosen} again if you still want it.`,
    },
  ]);
  expect(told(watcher)[0]?.message).toContain(why);
  // It is said once.
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(told(watcher)).toHaveLength(1);
});

test("a gateway that is started again does not set the mode either", async () => {
  await using house = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const before = await house.openSession("claude");
  await before.setMode("bypassPermissions", "tester");
  await house.restart();
  const session = await house.gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  await turn(session, watcher, "which");
  expect(watcher.said).toBe("default ");
});

/** As `kill -9` leaves the data folder: nothing that the end of the gateway writes. */
async function killed(house: ScriptedGateway): Promise<void> {
  const copy = join(house.folder, "copy");
  // A socket cannot be copied, and a killed gateway leaves none that anybody answers.
  const filter = async (file: string) => !(await lstat(file)).isSocket();
  await cp(house.data, copy, { recursive: true, filter });
  await house.stop();
  await rm(house.data, { recursive: true });
  await rename(copy, house.data);
  await house.start();
}

test.each<[string, (house: ScriptedGateway, session: Session) => Promise<void>]>([
  [
    "a crash of the agent",
    async (_, session) => {
      using watcher = new Watcher(session);
      await turn(session, watcher, "crash");
    },
  ],
  ["a restart of the gateway", (house) => house.restart()],
  ["kill -9 of the gateway", killed],
])("after %s the view has the mode that will hold", async (_, end) => {
  await using house = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const before = await house.openSession("claude");
  await before.setMode("bypassPermissions", "tester");
  await end(house, before);
  const session = await house.gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  const view = await session.view();
  expect(view.agent.state).toBe("exited");
  expect(view.modes?.currentModeId).toBe("default");
  // The start of the agent does not say it again.
  await turn(session, watcher, "which");
  expect(told(watcher)).toEqual([
    {
      code: "choice-ended",
      message:
        "Mode is back to The default: The bypassPermissions ended with the agent process that had it.",
      help: "Choose The bypassPermissions again if you still want it.",
    },
  ]);
});

test("the view of our own agent goes back without a notice of ours: the agent tells it", async () => {
  await using house = await houseOfOurs();
  const session = await house.openSession("landline");
  await session.setConfig("permissions", "allow-all", "tester");
  await house.restart();
  const again = await house.gateway.sessions.get(session.id);
  using watcher = new Watcher(again);
  const { configOptions } = await again.view();
  expect(configOptions?.find(({ id }) => id === "permissions")?.currentValue).toBe("ask");
  expect(told(watcher)).toEqual([]);
});

test("a fork does not have the mode of its parent", async () => {
  await using house = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const session = await house.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "which");
  const fork = await session.fork("tester");
  expect((await fork.view()).modes?.currentModeId).toBe("default");
  using forked = new Watcher(fork, fork.log.visible);
  await turn(fork, forked, "which");
  expect(forked.said).toBe("default ");
});

test("a mode that is known to ask is set again, also where the agent begins in another", async () => {
  const ids = ["agent", "read-only", "agent-full-access"];
  await using house = await ScriptedGateway.open({
    codex: scenario({ modes: modesOf("agent", ids) }),
  });
  const session = await house.openSession("codex");
  using watcher = new Watcher(session);
  await session.setMode("read-only", "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(watcher.said).toBe("read-only ");
  expect(told(watcher)).toEqual([]);
});

test.each([
  ["claude", "bypassPermissions", "default"],
  ["unheard-of", "yolo", "default"],
])("%s, when it comes back in %s by itself, is set to %s", async (id, chosen, start) => {
  const ids = ["plan", "default", "acceptEdits", "yolo", "bypassPermissions"];
  const keeps = { "session/load": { add: { modes: modesOf(chosen, ids) } } };
  await using house = await ScriptedGateway.open({
    [id]: scenario({ modes: modesOf(start, ids) }, keeps),
  });
  const session = await house.openSession(id);
  using watcher = new Watcher(session);
  await session.setMode(chosen, "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe(start);
  expect(watcher.said).toBe(`${start} `);
  expect(told(watcher)).toMatchObject([{ code: "choice-ended" }]);
});

test("an agent that stays in a mode that asks nothing is told of", async () => {
  const ids = ["default", "bypassPermissions"];
  const refuses = {
    "session/load": { add: { modes: modesOf("bypassPermissions", ids) } },
    "session/set_mode": {
      match: { modeId: "default" },
      error: { code: -32603, message: "Not now" },
    },
  };
  await using house = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", ids) }, refuses),
  });
  const session = await house.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe("bypassPermissions");
  expect(told(watcher)).toMatchObject([
    { code: "choice-ended" },
    {
      code: "choice-kept",
      message: "The agent came back with Mode set to The bypassPermissions, and may not ask you.",
    },
  ]);
});

test("an agent that does not say in which mode it came back is set to the one it began in", async () => {
  const modes = modesOf("default", claude);
  await using house = await ScriptedGateway.open({
    claude: scenario({ modes }, { "session/load": { add: { modes: null } } }),
  });
  const session = await house.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe("default");
  expect(told(watcher)).toMatchObject([{ code: "choice-ended" }]);
});

test("a mode that the agent begins in by itself stays", async () => {
  await using house = await ScriptedGateway.open({
    goose: scenario({ modes: modesOf("auto", ["auto", "approve"]) }),
  });
  const session = await house.openSession("goose");
  using watcher = new Watcher(session);
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(watcher.said).toBe("auto ");
  expect(told(watcher)).toEqual([]);
});

test("models and efforts are chosen again, options about permissions are not", async () => {
  const configOptions = [
    select("model", "model", ["one", "two"]),
    select("effort", "thought_level", ["low", "high"]),
    select("mode", "mode", ["act", "plan"]),
    select("allow_all", "permissions", ["off", "on"]),
    { id: "auto_approve", name: "Never ask", type: "boolean", currentValue: false },
  ];
  await using house = await ScriptedGateway.open({ cline: scenario({ configOptions }) });
  const session = await house.openSession("cline");
  using watcher = new Watcher(session);
  await session.setConfig("model", "two", "tester");
  await session.setConfig("effort", "high", "tester");
  await session.setConfig("mode", "plan", "tester");
  await session.setConfig("allow_all", "on", "tester");
  await session.setConfig("auto_approve", true, "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  const { configOptions: now } = await session.view();
  expect(now?.map(({ currentValue }) => currentValue)).toEqual([
    "two",
    "high",
    "plan",
    "off",
    false,
  ]);
  expect(told(watcher)).toMatchObject([
    { message: "allow_all is back to The off: The on ended with the agent process that had it." },
    { message: "Never ask is back to off: on ended with the agent process that had it." },
  ]);
});
