import { expect, test } from "vitest";
import { emptyView, fold } from "@landline/protocol";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";

const hello = { turns: [{ steps: [{ say: "Hello " }, { say: "there." }] }] };

test("a session from its opening to the end of its first turn", async () => {
  await using gateway = await ScriptedGateway.open({ hello });
  const session = await gateway.openSession("hello");
  using watcher = new Watcher(session);
  const ended = await turn(session, watcher, "Hi");
  expect(ended.stopReason).toBe("end_turn");
  expect(watcher.kinds).toEqual([
    "session-opened",
    "agent-started",
    "options-changed",
    "prompt-queued",
    "turn-started",
    "update",
    "update",
    "turn-ended",
  ]);
  expect(watcher.said).toBe("Hello there.");
  expect(watcher.events[1]).toMatchObject({ how: "new" });
  const view = await session.view();
  expect(view).toEqual(fold(emptyView(), watcher.events));
  expect(view.turn.state).toBe("idle");
});

test("prompts are queued, can be changed and withdrawn, and are sent once", async () => {
  await using gateway = await ScriptedGateway.open({
    slow: {
      turns: [
        {
          match: "first",
          steps: [{ ask: { message: "?", requestedSchema: { type: "object", properties: {} } } }],
        },
        { match: "/./", steps: [{ say: "{{prompt}}" }] },
      ],
    },
  });
  const session = await gateway.openSession("slow");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  const ask = await watcher.until("ask-opened");
  await session.prompt("p2", text("second"), "b");
  await session.prompt("p3", text("third"), "c");
  await session.prompt("p4", text("fourth"), "c");
  await session.prompt("p2", text("second, again"), "b");
  await session.changePrompt("p3", text("changed"), "c");
  await session.withdrawPrompt("p4", "a");
  await expect(session.withdrawPrompt("p4", "a")).rejects.toMatchObject({
    code: "prompt-not-found",
  });
  await expect(session.changePrompt("p1", text("late"), "a")).rejects.toMatchObject({
    code: "prompt-not-found",
  });
  await session.answer(ask.askId, { action: "decline" }, "a");
  await watcher.until("turn-started", ({ promptId }) => promptId === "p3");
  await watcher.until(
    "turn-ended",
    () => true,
    (await watcher.until("turn-started", ({ promptId }) => promptId === "p3")).seq,
  );
  expect(watcher.said).toBe("secondchanged");
  expect(watcher.events.filter(({ kind }) => kind === "turn-started")).toHaveLength(3);
});

test("a prompt that the agent refuses fails with a message, and the session continues", async () => {
  await using gateway = await ScriptedGateway.open({
    picky: {
      turns: [
        { match: "bad", steps: [], end: { error: { code: -32603, message: "The model is out" } } },
        { match: "key", steps: [], end: { error: { code: -32000, message: "Sign in" } } },
        { match: "/./", steps: [{ say: "fine" }] },
      ],
    },
  });
  const session = await gateway.openSession("picky");
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "bad")).toMatchObject({
    stopReason: "failed",
    error: { code: "internal-error", message: "The model is out" },
  });
  expect(await turn(session, watcher, "key")).toMatchObject({
    stopReason: "failed",
    error: { code: "auth-required" },
  });
  expect(await turn(session, watcher, "good")).toMatchObject({ stopReason: "end_turn" });
});

test("an agent that can't be started leaves no session behind", async () => {
  await using gateway = await ScriptedGateway.open({
    dead: { atStart: [{ stderr: "no licence" }, { crash: 7 }] },
  });
  await expect(gateway.openSession("dead")).rejects.toMatchObject({ code: "agent-start-failed" });
  expect((await gateway.sessions.list({})).sessions).toEqual([]);
  await expect(gateway.openSession("nobody")).rejects.toMatchObject({ code: "agent-not-found" });
});

test("modes and options can be set, and a failure keeps the old value", async () => {
  const modes = {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "act", name: "Act" },
      { id: "odd", name: "Odd" },
    ],
  };
  await using gateway = await ScriptedGateway.open({
    moody: {
      session: { modes },
      answers: {
        "session/set_mode": [
          { match: { modeId: "odd" }, error: { code: -32603, message: "Not here" } },
          {},
        ],
      },
    },
  });
  const session = await gateway.openSession("moody");
  await session.setMode("act", "tester");
  expect((await session.view()).modes?.currentModeId).toBe("act");
  await expect(session.setMode("odd", "tester")).rejects.toMatchObject({ message: "Not here" });
  await expect(session.setMode("none", "tester")).rejects.toMatchObject({
    code: "option-not-offered",
  });
  expect((await session.view()).modes?.currentModeId).toBe("act");
});

test("sessions are listed, renamed, watched, closed and deleted", async () => {
  await using gateway = await ScriptedGateway.open({ hello });
  const changes: string[] = [];
  using _watch = gateway.sessions.watch((change) =>
    changes.push("deleted" in change ? "deleted" : `${change.state} ${change.title}`),
  );
  const session = await gateway.openSession("hello", { title: "First" });
  using watcher = new Watcher(session);
  await turn(session, watcher, "Hi");
  await session.rename("Second", "tester");
  expect((await gateway.sessions.list({})).sessions).toMatchObject([
    { sessionId: session.id, title: "Second", state: "idle", head: session.log.visible },
  ]);
  await session.close("tester");
  expect(watcher.kinds.slice(-2)).toEqual(["agent-exited", "session-closed"]);
  expect(await turn(session, watcher, "Again")).toMatchObject({ stopReason: "end_turn" });
  await gateway.sessions.delete(session.id, "tester");
  await expect(gateway.sessions.get(session.id)).rejects.toMatchObject({
    code: "session-expired",
  });
  expect((await gateway.sessions.list({})).sessions).toEqual([]);
  expect(changes[0]).toBe("idle First");
  expect(changes).toContain("running First");
  expect(changes.at(-1)).toBe("deleted");
});

test("a tool call names its permission request if that is certain", async () => {
  const toolCall = { toolCallId: "call", title: "Write", kind: "edit" };
  const asked = (path: string) => ({
    permission: { toolCall: { ...toolCall, locations: [{ path: `{{cwd}}/${path}` }] } },
  });
  const written = (path: string) => ({
    writeFile: { path: `{{cwd}}/${path}`, content: "text" },
  });
  const steps = [asked("a.txt"), written("a.txt"), written("b.txt")];
  await using gateway = await ScriptedGateway.open({
    agent: { turns: [{ steps }, { steps: [written("a.txt")] }] },
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  const ended = turn(session, watcher, "write");
  const { askId } = await watcher.until("ask-opened");
  await session.answer(askId, { outcome: "selected", optionId: "allow" }, "tester");
  await ended;
  await turn(session, watcher, "write again");
  const asks = watcher.events.flatMap((event) =>
    event.kind === "file-written" ? [event.ask ?? null] : [],
  );
  expect(asks).toEqual([askId, null, null]);
});

test("with durability disk, events are on disk before a command is acknowledged", async () => {
  await using gateway = await ScriptedGateway.open({ hello }, {}, { durability: "disk" });
  const session = await gateway.openSession("hello");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("Hi"), "a");
  const queued = (await session.view()).items.find((item) => item.type === "prompt");
  expect(queued).toMatchObject({ promptId: "p1" });
  await watcher.until("turn-ended");
  await session.rename("Greetings", "a");
  expect((await session.view()).session.title).toBe("Greetings");
  await session.close("a");
  expect((await session.view()).session.closedBy).toBe("a");
});
