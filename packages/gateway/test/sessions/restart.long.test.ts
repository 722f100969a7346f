import * as fs from "node:fs/promises";
import * as path from "node:path";
import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";

const hows = (watcher: Watcher) =>
  watcher.events.flatMap((event) => (event.kind === "agent-started" ? [event.how] : []));
const story = (capabilities: object, more: object = {}) => ({
  initialize: { agentCapabilities: capabilities },
  turns: [
    { match: "/crash$/", steps: [{ say: "Oh" }, { stderr: "segmentation fault" }, { crash: 3 }] },
    { match: "recall", steps: [{ say: "{{prompt}}" }] },
    { match: "/./", steps: [{ say: "Once upon a time" }] },
  ],
  ...more,
});

const ways: [string, object, object, string][] = [
  ["resumes", { sessionCapabilities: { resume: {} } }, {}, "resume"],
  ["loads without replaying history", { loadSession: true }, {}, "load"],
  [
    "loads, and replays its history after the response",
    { loadSession: true },
    { session: { replay: "after" } },
    "load",
  ],
  [
    "loads, and replays one update before and the rest after",
    { loadSession: true },
    { session: { replay: "first-before" } },
    "load",
  ],
  ["supports neither", {}, {}, "transcript"],
];
test.each(ways)(
  "an agent that died is restored by the next prompt: it %s",
  async (_, capabilities, more, how) => {
    await using gateway = await ScriptedGateway.open({ agent: story(capabilities, more) });
    const session = await gateway.openSession("agent");
    using watcher = new Watcher(session);
    await turn(session, watcher, "tell");
    const ended = await turn(session, watcher, "crash");
    expect(ended).toMatchObject({
      stopReason: "failed",
      error: { code: "agent-exited", message: expect.stringContaining("segmentation fault") },
    });
    expect(await watcher.until("agent-exited")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("segmentation fault"),
    });
    await turn(session, watcher, "recall");
    expect(hows(watcher)).toEqual(["new", how]);
    const recalled = watcher.said.replace("Once upon a timeOh", "");
    // The transcript does not contain the prompt that it comes with.
    expect(recalled.split("recall")).toHaveLength(2);
    expect(recalled).toMatch(
      how === "transcript"
        ? /conversation so far[^]*tell[^]*Once upon a time[^]*recall/
        : /^recall$/,
    );
  },
);

test.each(["before", "after", "first-before"])(
  "history that an agent replays on load is logged once (%s the answer)",
  async (replay) => {
    const once = [
      { sessionUpdate: "subagent_update", sessionId: "child", state: { state: "running" } },
      { sessionUpdate: "session_message", messageId: "m", senderSessionId: "child" },
      {
        sessionUpdate: "session_message_chunk",
        messageId: "m",
        content: { type: "text", text: "Found it" },
      },
      { sessionUpdate: "notice", severity: "warning", title: "Slow" },
    ];
    const turns = [
      { match: "tell", steps: once.map((update) => ({ update })) },
      { match: "/crash$/", steps: [{ crash: 3 }] },
      { match: "/./", steps: [{ say: "Again" }, { update: once[3] }] },
    ];
    await using gateway = await ScriptedGateway.open({
      agent: {
        initialize: { agentCapabilities: { loadSession: true } },
        session: { replay },
        turns,
      },
    });
    const session = await gateway.openSession("agent");
    using watcher = new Watcher(session);
    await turn(session, watcher, "tell");
    await turn(session, watcher, "crash");
    await turn(session, watcher, "more");
    expect(hows(watcher)).toEqual(["new", "load"]);
    const kinds = watcher.events.flatMap((event) =>
      event.kind === "update" ? [event.update["sessionUpdate"]] : [],
    );
    const expected = [
      ...once.map((update) => update.sessionUpdate),
      "agent_message_chunk",
      "notice",
    ];
    expect(kinds).toEqual(expected);
  },
);

test("a session that the agent lost continues with the transcript", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: story(
      { loadSession: true },
      { answers: { "session/load": { error: { code: -32002, message: "Session not found" } } } },
    ),
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "tell");
  await turn(session, watcher, "crash");
  expect(await turn(session, watcher, "recall")).toMatchObject({ stopReason: "end_turn" });
  expect(hows(watcher)).toEqual(["new", "transcript"]);
});

test("a session continues after a restart of the gateway", async () => {
  await using gateway = await ScriptedGateway.open({ agent: story({ loadSession: true }) });
  const before = await gateway.openSession("agent", { title: "Mine" });
  {
    using watcher = new Watcher(before);
    await turn(before, watcher, "tell");
  }
  await gateway.stop();
  await gateway.start();
  const [listed] = (await gateway.sessions.list({})).sessions;
  expect(listed).toMatchObject({ sessionId: before.id, title: "Mine", state: "idle" });
  const session = await gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  await turn(session, watcher, "on");
  expect(hows(watcher)).toEqual(["new", "load"]);
  expect(watcher.events.map(({ seq }) => seq)).toEqual(watcher.events.map((_, index) => index + 1));
});

test.each([
  ["a long title", "word ".repeat(300)],
  ["a removed title", null],
])("a session is listed the same while it runs and after a restart: %s", async (_, title) => {
  const retitle = { sessionUpdate: "session_info_update", title };
  const steps = [
    { update: { sessionUpdate: "session_info_update", title: "First" } },
    { update: retitle },
  ];
  await using gateway = await ScriptedGateway.open({ agent: { turns: [{ match: "/./", steps }] } });
  const session = await gateway.openSession("agent");
  {
    using watcher = new Watcher(session);
    await turn(session, watcher, "tell");
  }
  const listed = async () => {
    const [row] = (await gateway.sessions.list({})).sessions;
    // Its agent exits in between, which is an event but no activity.
    return { ...row, head: null, lastAt: null };
  };
  const running = await listed();
  expect(running.title).toBe(title?.slice(0, 1_000) ?? null);
  await gateway.restart();
  expect(await listed()).toEqual(running);
});

test("a fork has the history and continues independently", async () => {
  await using gateway = await ScriptedGateway.open({ agent: story({}) });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "tell");
  const forked = await session.fork("tester");
  using other = new Watcher(forked);
  await turn(forked, other, "recall");
  expect(forked.summary.parent).toBe(session.id);
  expect(other.said).toMatch(/^Once upon a time[^]*conversation so far/);
  expect(watcher.said).toBe("Once upon a time");
});

test("updates before the session is known are kept", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: {
      answers: {
        "session/new": {
          before: [{ commands: [{ name: "early", description: "Before the response" }] }],
        },
      },
    },
  });
  const session = await gateway.openSession("agent");
  expect((await session.view()).commands).toMatchObject([{ name: "early" }]);
  using watcher = new Watcher(session);
  await watcher.until("update");
  expect(watcher.kinds).toEqual(["session-opened", "agent-started", "options-changed", "update"]);
});

test("an agent that can't restart fails the prompt, and the queue waits", async () => {
  await using gateway = await ScriptedGateway.open({ agent: story({}) });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "crash");
  await fs.rename(`${gateway.folder}/agent.json`, `${gateway.folder}/gone.json`);
  await session.prompt("p2", text("two"), "tester");
  await session.prompt("p3", text("three"), "tester");
  const failed = await watcher.until(
    "turn-ended",
    ({ error }) => error?.code === "agent-start-failed",
  );
  expect(failed.stopReason).toBe("failed");
  expect((await session.view()).queue.map(({ promptId }) => promptId)).toEqual(["p3"]);
  await fs.rename(`${gateway.folder}/gone.json`, `${gateway.folder}/agent.json`);
  await session.prompt("p3", text("three"), "tester");
  expect(await watcher.until("turn-ended", () => true, failed.seq)).toMatchObject({
    stopReason: "end_turn",
  });
});

test("repeated crashes pause the queue until a person acts", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: story({}) },
    { restartsMax: 2, restartDelayMs: 1 },
  );
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  for (const id of ["p1", "p2", "p3", "p4", "p5"])
    await session.prompt(id, text("crash"), "tester");
  const ends = () => watcher.events.filter(({ kind }) => kind === "turn-ended").length;
  await watcher.until("turn-ended", () => ends() === 3);
  expect((await session.view()).queue.map(({ promptId }) => promptId)).toEqual(["p4", "p5"]);
  await session.withdrawPrompt("p4", "tester");
  await session.withdrawPrompt("p5", "tester");
  expect(await turn(session, watcher, "on")).toMatchObject({ stopReason: "end_turn" });
});

test("any earlier prompt id is recognised after a restart", async () => {
  const items = limitsOf("default").snapshotItems + 20;
  const tool = { toolCallId: "{{turnId}}-{{index}}", title: "Look", status: "completed" };
  await using gateway = await ScriptedGateway.open({
    agent: { turns: [{ match: "/./", steps: [{ repeat: { times: items, steps: [{ tool }] } }] }] },
  });
  const before = await gateway.openSession("agent");
  {
    using watcher = new Watcher(before);
    await before.prompt("long ago", text("go"), "tester");
    await watcher.until("turn-ended");
  }
  await gateway.stop();
  await gateway.start();
  const session = await gateway.sessions.get(before.id);
  using watcher = new Watcher(session);
  // In order of arrival, although the first has to search older prompts.
  const sent = [
    session.prompt("new", text("on"), "tester"),
    session.prompt("withdrawn", text("not this"), "tester"),
    session.withdrawPrompt("withdrawn", "tester"),
    session.prompt("long ago", text("go"), "tester"),
  ];
  await Promise.all(sent);
  const started = await watcher.until("turn-started", ({ promptId }) => promptId === "new");
  await watcher.until("turn-ended", ({ turnId }) => turnId === started.turnId);
  const queued = watcher.events.flatMap((event) =>
    event.kind === "prompt-queued" ? [event.promptId] : [],
  );
  expect(queued).toEqual(["long ago", "new", "withdrawn"]);
});

test("an agent with fork support makes the copy that the fork continues", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: story({ loadSession: true, sessionCapabilities: { fork: {} } }),
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "tell");
  const forked = await session.fork("tester");
  using other = new Watcher(forked);
  await turn(forked, other, "recall");
  expect(hows(other)).toEqual(["load"]);
  expect(other.said).toBe("Once upon a timerecall");
  const ids = [watcher, other].map((one) =>
    one.events.flatMap((event) => (event.kind === "agent-started" ? [event.agentSessionId] : [])),
  );
  expect(ids[0]).not.toEqual(ids[1]);
});

test("supported MCP servers are sent to the agent, and others are reported", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: {
      answers: { "session/new": { after: [{ say: "{{params.mcpServers.0.name}}" }] } },
    },
  });
  const session = await gateway.sessions.open({
    agent: "agent",
    cwd: gateway.project,
    by: "tester",
    mcpServers: [
      { type: "http", name: "remote", url: "http://127.0.0.1:9/", headers: [] },
      { name: "local", command: "server", args: [], env: [{ name: "KEY", value: "secret" }] },
    ],
  });
  using watcher = new Watcher(session);
  await watcher.until("update");
  expect(watcher.said).toBe("local");
  expect(await watcher.until("error")).toMatchObject({
    message: expect.stringContaining("remote"),
  });
  expect(JSON.stringify(watcher.events)).not.toContain("secret");
});

test("a long queued prompt is sent completely after a restart", async () => {
  const long = `Read this: ${"word ".repeat(1_000)}end`;
  const data = Buffer.from("picture ".repeat(500)).toString("base64");
  const image = { type: "image", mimeType: "image/png", data } as const;
  const turns = [
    { match: "first", steps: [{ silence: "forever" }] },
    { match: "/./", steps: [{ say: "{{prompt}}" }] },
  ];
  const agentCapabilities = { loadSession: true, promptCapabilities: { image: true } };
  const agent = { initialize: { agentCapabilities }, turns };
  await using gateway = await ScriptedGateway.open(
    { agent },
    { blobBytes: 1_000, traceLineLength: 100_000 },
    { trace: true },
  );
  const { id } = await gateway.openSession("agent");
  const before = await gateway.sessions.get(id);
  await before.prompt("p1", text("first"), "tester");
  await before.prompt("p2", [...text(long), image], "tester");
  await gateway.stop();
  await gateway.start({ resumeQueue: true });
  const session = await gateway.sessions.get(id);
  using watcher = new Watcher(session);
  const { turnId } = await watcher.until("turn-started", ({ promptId }) => promptId === "p2");
  expect(await watcher.until("turn-ended", (event) => event.turnId === turnId)).toMatchObject({
    stopReason: "end_turn",
  });
  const sent = await fs.readFile(path.join(gateway.data, "sessions", id, "trace.ndjson"), "utf8");
  expect(sent).toContain(long);
  expect(sent).toContain(data);
  expect(sent).not.toContain("$blob");
});

test("sessions are listed while a damaged one is opened", async () => {
  await using gateway = await ScriptedGateway.open({ agent: story({}) });
  const { id } = await gateway.openSession("agent");
  await gateway.sessions.list({});
  await gateway.stop();
  await fs.truncate(path.join(gateway.data, "sessions", id, "000000000001.ndjson"), 0);
  await gateway.start();
  const { sessions } = gateway;
  const listed = new AbortController();
  const openAgainAndAgain = async () => {
    while (!listed.signal.aborted)
      await expect(sessions.get(id)).rejects.toMatchObject({ code: "log-damaged" });
  };
  const opening = openAgainAndAgain();
  const listing = sessions.list({}).finally(() => listed.abort());
  await expect(listing).resolves.toMatchObject({ sessions: [{ sessionId: id, state: "idle" }] });
  await opening;
});
