import { cp, lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";
import { openBuiltInAgentGateway } from "./own-agent.ts";

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

/** Reports its options, as it knows them. */
const scenario = (session: object, answers: object = {}) => ({
  initialize: { agentCapabilities: { loadSession: true } },
  session,
  answers,
  turns: [
    { match: "crash", steps: [{ crash: 1 }] },
    { match: "/./", steps: [{ say: "{{options.mode}} " }] },
  ],
});

/** The notices after a restart of the agent. */
const told = ({ events }: Watcher) =>
  events.flatMap((event) =>
    event.kind === "error" && event.code.startsWith("choice-")
      ? [{ code: event.code, message: event.message, help: event.help }]
      : [],
  );

const claude = ["default", "acceptEdits", "plan", "bypassPermissions"];

test.each([
  ["claude", claude, "default", "acceptEdits", "applied only to the agent"],
  ["claude", claude, "default", "bypassPermissions", "applied only to the agent"],
  [
    "gemini",
    ["default", "autoEdit", "yolo", "plan"],
    "default",
    "yolo",
    "applied only to the agent",
  ],
  ["codex", ["read-only", "agent", "agent-full-access"], "read-only", "agent-full-access", "ended"],
  ["unheard-of", ["careful", "quick"], "careful", "quick", "the agent was started again."],
])("%s, with %j, is reset to the mode %s from %s", async (id, ids, start, chosen, why) => {
  await using gateway = await ScriptedGateway.open({
    [id]: scenario({ modes: modesOf(start, ids) }),
  });
  const session = await gateway.openSession(id);
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
  // It is reported once.
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(told(watcher)).toHaveLength(1);
});

test("a restarted gateway does not set the mode either", async () => {
  await using gateway = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const before = await gateway.openSession("claude");
  await before.setMode("bypassPermissions", "tester");
  await gateway.restart();
  const session = await gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  await turn(session, watcher, "which");
  expect(watcher.said).toBe("default ");
});

/** As `kill -9` leaves the data folder: without anything that a shutdown writes. */
async function killed(gateway: ScriptedGateway): Promise<void> {
  const copy = join(gateway.folder, "copy");
  // A socket cannot be copied, and that of a killed gateway does not answer.
  const filter = async (file: string) => !(await lstat(file)).isSocket();
  await cp(gateway.data, copy, { recursive: true, filter });
  await gateway.stop();
  await rm(gateway.data, { recursive: true });
  await rename(copy, gateway.data);
  await gateway.start();
}

test.each<[string, (gateway: ScriptedGateway, session: Session) => Promise<void>]>([
  [
    "a crash of the agent",
    async (_, session) => {
      using watcher = new Watcher(session);
      await turn(session, watcher, "crash");
    },
  ],
  ["a restart of the gateway", (gateway) => gateway.restart()],
  ["kill -9 of the gateway", killed],
])("after %s the view has the mode that will apply", async (_, end) => {
  await using gateway = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const before = await gateway.openSession("claude");
  await before.setMode("bypassPermissions", "tester");
  await end(gateway, before);
  const session = await gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  const view = await session.view();
  expect(view.agent.state).toBe("exited");
  expect(view.modes?.currentModeId).toBe("default");
  // The start of the agent does not report it again.
  await turn(session, watcher, "which");
  expect(told(watcher)).toEqual([
    {
      code: "choice-ended",
      message:
        "Mode is back to The default: The bypassPermissions applied only to the agent process that ended.",
      help: "Choose The bypassPermissions again if you still want it.",
    },
  ]);
});

test("the view of the built-in agent is reset without a notice of the gateway: the agent reports it", async () => {
  await using gateway = await openBuiltInAgentGateway();
  const session = await gateway.openSession("landline");
  await session.setConfig("permissions", "allow-all", "tester");
  await gateway.restart();
  const again = await gateway.sessions.get(session.id);
  using watcher = new Watcher(again);
  const { configOptions } = await again.view();
  expect(configOptions?.find(({ id }) => id === "permissions")?.currentValue).toBe("ask");
  expect(told(watcher)).toEqual([]);
});

test("a fork does not have the mode of its parent", async () => {
  await using gateway = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", claude) }),
  });
  const session = await gateway.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "which");
  const fork = await session.fork("tester");
  expect((await fork.view()).modes?.currentModeId).toBe("default");
  using forked = new Watcher(fork, fork.log.visible);
  await turn(fork, forked, "which");
  expect(forked.said).toBe("default ");
});

test("a mode that asks is set again, even if the agent starts in another", async () => {
  const ids = ["agent", "read-only", "agent-full-access"];
  await using gateway = await ScriptedGateway.open({
    codex: scenario({ modes: modesOf("agent", ids) }),
  });
  const session = await gateway.openSession("codex");
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
])("%s, when it restarts in %s by itself, is set to %s", async (id, chosen, start) => {
  const ids = ["plan", "default", "acceptEdits", "yolo", "bypassPermissions"];
  const keeps = { "session/load": { add: { modes: modesOf(chosen, ids) } } };
  await using gateway = await ScriptedGateway.open({
    [id]: scenario({ modes: modesOf(start, ids) }, keeps),
  });
  const session = await gateway.openSession(id);
  using watcher = new Watcher(session);
  await session.setMode(chosen, "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe(start);
  expect(watcher.said).toBe(`${start} `);
  expect(told(watcher)).toMatchObject([{ code: "choice-ended" }]);
});

test("an agent that stays in a mode that does not ask is reported", async () => {
  const ids = ["default", "bypassPermissions"];
  const refuses = {
    "session/load": { add: { modes: modesOf("bypassPermissions", ids) } },
    "session/set_mode": {
      match: { modeId: "default" },
      error: { code: -32603, message: "Not now" },
    },
  };
  await using gateway = await ScriptedGateway.open({
    claude: scenario({ modes: modesOf("default", ids) }, refuses),
  });
  const session = await gateway.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe("bypassPermissions");
  expect(told(watcher)).toMatchObject([
    { code: "choice-ended" },
    {
      code: "choice-kept",
      message:
        "The agent restarted with Mode set to The bypassPermissions and may act without asking you.",
    },
  ]);
});

test("an agent that does not report its mode after a restart is set to its initial one", async () => {
  const modes = modesOf("default", claude);
  await using gateway = await ScriptedGateway.open({
    claude: scenario({ modes }, { "session/load": { add: { modes: null } } }),
  });
  const session = await gateway.openSession("claude");
  using watcher = new Watcher(session);
  await session.setMode("bypassPermissions", "tester");
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect((await session.view()).modes?.currentModeId).toBe("default");
  expect(told(watcher)).toMatchObject([{ code: "choice-ended" }]);
});

test("a mode in which the agent starts by itself stays", async () => {
  await using gateway = await ScriptedGateway.open({
    goose: scenario({ modes: modesOf("auto", ["auto", "approve"]) }),
  });
  const session = await gateway.openSession("goose");
  using watcher = new Watcher(session);
  await turn(session, watcher, "crash");
  await turn(session, watcher, "which");
  expect(watcher.said).toBe("auto ");
  expect(told(watcher)).toEqual([]);
});

test("models and efforts are restored, options about permissions are not", async () => {
  const configOptions = [
    select("model", "model", ["one", "two"]),
    select("effort", "thought_level", ["low", "high"]),
    select("mode", "mode", ["act", "plan"]),
    select("allow_all", "permissions", ["off", "on"]),
    { id: "auto_approve", name: "Never ask", type: "boolean", currentValue: false },
  ];
  await using gateway = await ScriptedGateway.open({ cline: scenario({ configOptions }) });
  const session = await gateway.openSession("cline");
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
    {
      message: "allow_all is back to The off: The on applied only to the agent process that ended.",
    },
    { message: "Never ask is back to off: on applied only to the agent process that ended." },
  ]);
});
