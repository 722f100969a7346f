import { decodeEvent, emptyView, fold, LandlineError, type SessionEvent } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FakeSession } from "./fake-sessions.ts";
import { startWorld, type Frame, type World } from "./socket-world.ts";
import { feed } from "../index/feed.ts";

let world: World;
let session: FakeSession;

beforeEach(async () => {
  world = await startWorld();
  session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
});

afterEach(() => world[Symbol.asyncDispose]());

describe("attach", () => {
  test("tells where the log is before anything else, then what is in it, then what comes", async () => {
    session.says("before");
    const client = await world.connect();
    const reply = await client.ask("attach", { sessionId: session.id });
    session.says("after");
    await client.reach(session.id, 3);

    expect(client.frames[0]).toEqual({
      type: "attached",
      sessionId: session.id,
      head: 2,
      from: "tail",
    });
    expect(reply["result"]).toEqual({ sessionId: session.id, head: 2, from: "tail" });
    expect(client.events(session.id).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(client.events(session.id).at(-1)).toMatchObject({
      kind: "update",
      update: { content: { text: "after" } },
    });
  });

  test("goes on after the cursor", async () => {
    for (const text of ["a", "b", "c"]) session.says(text);
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id, after: 2 });
    await client.reach(session.id, 4);
    expect(client.events(session.id).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test("what one append wrote is one frame", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id });
    await client.reach(session.id, 1);
    const chunk = { kind: "agent-noise", lines: [], count: 0, reason: "é ☃ \n" } as const;
    session.append(chunk, chunk, chunk);
    const frame = await client.reach(session.id, 4);
    expect(frame["events"]).toHaveLength(3);
    expect(frame["events"]).toMatchObject([chunk, chunk, chunk]);
  });

  test("an attach again goes on from its own cursor, and only once", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id });
    await client.ask("attach", { sessionId: session.id, after: 1 });
    session.says("once");
    await client.reach(session.id, 2);
    await client.ask("detach", { sessionId: session.id });
    expect(client.events(session.id).filter(({ seq }) => seq === 2)).toHaveLength(1);
  });

  test("detach ends it", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id, after: 1 });
    await client.ask("detach", { sessionId: session.id });
    session.says("unseen");
    await client.ask("rename", { sessionId: session.id, title: "later" });
    expect(client.events(session.id)).toEqual([]);
  });

  test("many sessions share a socket", async () => {
    const other = await world.sessions.open({ agent: "scripted", cwd: "/other", by: "test" });
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id });
    await client.ask("attach", { sessionId: other.id });
    other.says("there");
    session.says("here");
    await client.reach(session.id, 2);
    await client.reach(other.id, 2);
    for (const { id } of [session, other]) {
      expect(client.events(id).map(({ seq }) => seq)).toEqual([1, 2]);
    }
  });

  test("a cursor ahead of the log gets a gap and a refusal, never silence", async () => {
    const client = await world.connect();
    const reply = await client.ask("attach", { sessionId: session.id, after: 99 });
    expect(reply["error"]).toMatchObject({ code: "cursor-ahead", head: 1 });
    expect(client.frames[0]).toEqual({ type: "gap", sessionId: session.id, head: 1 });
    expect((await client.ask("attach", { sessionId: session.id }))["result"]).toBeDefined();
  });

  test("a log that can't be read any more is told of as a gap", async () => {
    const client = await world.connect();
    const { log } = session;
    const tail = log.tail.bind(log);
    let end = (_error: Error) => {};
    log.tail = (after, sink) => {
      end = (error) => sink.end(error);
      return tail(after, sink);
    };
    await client.ask("attach", { sessionId: session.id });
    end(new LandlineError("disk-failed"));
    expect(await client.until(({ type }) => type === "gap")).toMatchObject({
      sessionId: session.id,
    });
  });

  test("a session that is deleted is told of as gone", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id });
    await client.ask("delete", { sessionId: session.id });
    const gone = await client.until(({ type }) => type === "sessions");
    expect(gone).toEqual({ type: "sessions", sessions: [], gone: [session.id] });
    expect((await client.ask("attach", { sessionId: session.id }))["error"]).toMatchObject({
      code: "session-not-found",
    });
  });
});

describe("a long log", () => {
  async function longWorld(attachEvents = 10) {
    const long = await startWorld({ attachEvents });
    const made = await long.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    for (let count = 0; count < 30; count++) made.says(`${count} `);
    const view = await made.view();
    const events: SessionEvent[] = [];
    for await (const { bytes } of made.log.read(0)) {
      const lines = bytes.toString().trimEnd().split("\n");
      events.push(...lines.map((line) => decodeEvent(JSON.parse(line)) as SessionEvent));
    }
    const early = fold(emptyView(), events.slice(0, 25));
    await feed(long.services.derived, made.id, events);
    long.services.derived.putSnapshot(made.id, { seq: 25, view: early });
    return { long, made, view };
  }

  test("begins with a snapshot, and the events that come after it", async () => {
    const { long, made, view } = await longWorld();
    await using _ = long;
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id });
    await client.reach(made.id, 31);
    const [attached] = client.frames;
    expect(attached).toMatchObject({ type: "attached", from: "snapshot", head: 31 });
    const from = attached!["view"] as typeof view;
    const folded = fold(from, client.events(made.id) as unknown as SessionEvent[]);
    expect(JSON.parse(JSON.stringify(folded))).toEqual(JSON.parse(JSON.stringify(view)));
    expect(client.events(made.id).map(({ seq }) => seq)).toEqual([26, 27, 28, 29, 30, 31]);
  });

  test("a cursor beyond the snapshot is not sent back", async () => {
    const { long, made } = await longWorld(2);
    await using _ = long;
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id, after: 27 });
    await client.reach(made.id, 31);
    expect(client.frames[0]).toMatchObject({ from: "tail" });
    expect(client.events(made.id)[0]).toMatchObject({ seq: 28 });
  });

  test("a cursor near its end needs none", async () => {
    const { long, made } = await longWorld();
    await using _ = long;
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id, after: 21 });
    await client.reach(made.id, 31);
    expect(client.frames[0]).toMatchObject({ from: "tail" });
    expect(client.events(made.id)[0]).toMatchObject({ seq: 22 });
  });

  test("without a snapshot, and without a database, the log is enough", async () => {
    const { long, made } = await longWorld();
    await using _ = long;
    long.services.derived.close();
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id });
    await client.reach(made.id, 31);
    expect(client.frames[0]).toMatchObject({ from: "tail" });
    expect(client.events(made.id)[0]).toMatchObject({ seq: 1 });
  });
});

describe("commands", () => {
  test("each becomes what the session does, by the client that sent it", async () => {
    const client = await world.connect();
    const opened = await client.ask("open", { agent: "scripted", cwd: "/new", title: "New" });
    const { sessionId } = opened["result"] as { sessionId: string };
    expect(opened["result"]).toMatchObject({ agent: "scripted", cwd: "/new", title: "New" });
    await client.ask("attach", { sessionId });

    const results = [
      await client.ask("prompt", { sessionId, promptId: "p1", content: "hi" }),
      await client.ask("prompt", { sessionId, promptId: "p1", content: "hi" }),
      await client.ask("change-prompt", { sessionId, promptId: "p1", content: "ho" }),
      await client.ask("change-prompt", { sessionId, promptId: "p1", before: null }),
      await client.ask("withdraw-prompt", { sessionId, promptId: "p1" }),
      await client.ask("cancel", { sessionId }),
      await client.ask("set-mode", { sessionId, modeId: "code" }),
      await client.ask("set-config", { sessionId, configId: "model", value: "big" }),
      await client.ask("rename", { sessionId, title: "Old" }),
      await client.ask("close", { sessionId }),
    ].map((reply) => reply["result"]);
    const prompt = { promptId: "p1" };
    expect(results).toMatchObject([
      prompt,
      prompt,
      prompt,
      prompt,
      {},
      {},
      { modeId: "code" },
      { configId: "model", value: "big" },
      { sessionId, title: "Old" },
      {},
    ]);

    await client.until((frame) => JSON.stringify(frame).includes("session-closed"));
    expect(client.events(sessionId).map(({ kind }) => kind)).toEqual([
      "session-opened",
      "prompt-queued",
      "prompt-changed",
      "prompt-moved",
      "prompt-withdrawn",
      "turn-changed",
      "options-changed",
      "options-changed",
      "session-changed",
      "session-closed",
    ]);
    expect(client.events(sessionId)[1]).toMatchObject({
      by: "control",
      content: [{ type: "text", text: "hi" }],
    });
  });

  test("fork answers with the new session", async () => {
    const client = await world.connect();
    const reply = await client.ask("fork", { sessionId: session.id });
    expect(reply["result"]).toMatchObject({ parent: session.id, agent: "scripted" });
  });

  test("the first answer to an ask wins, and the second is told who was first", async () => {
    session.append({
      kind: "ask-opened",
      askId: "ask",
      ask: "permission",
      toolCall: { toolCallId: "t" },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    });
    const [one, two] = [await world.connect(), await world.connect({ token: "control2" })];
    const answer = { sessionId: session.id, askId: "ask", outcome: { optionId: "yes" } };
    expect((await one.ask("answer", answer))["result"]).toEqual({
      askId: "ask",
      outcome: { outcome: "selected", optionId: "yes" },
    });
    expect((await two.ask("answer", answer))["error"]).toMatchObject({
      code: "ask-already-settled",
      by: { client: "control" },
    });
  });

  test("sent without waiting, they reach a session in order", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id, after: 1 });
    const count = 60;
    for (let number = 0; number < count; number++) {
      const fields = number % 3 === 2 ? {} : { promptId: `p${number}`, content: "go" };
      const type = number % 3 === 2 ? "cancel" : "prompt";
      client.send({ id: number, type, sessionId: session.id, ...fields });
    }
    await client.reach(session.id, 1 + count);
    const wanted = Array.from({ length: count }, (_, number) =>
      number % 3 === 2 ? "turn-changed" : `p${number}`,
    );
    const seen = client
      .events(session.id)
      .map((event) => ("promptId" in event ? event["promptId"] : event.kind));
    expect(seen).toEqual(wanted);
  });

  test("prompts are counted together with those of other doors", async () => {
    await using strict = await startWorld({ promptsPerMinute: 1 });
    const made = await strict.sessions.open({ agent: "scripted", cwd: "/", by: "test" });
    const client = await strict.connect();
    const prompt = (promptId: string) =>
      client.ask("prompt", { sessionId: made.id, promptId, content: "hi" });
    expect((await prompt("one"))["result"]).toBeDefined();
    expect((await prompt("two"))["error"]).toMatchObject({
      code: "rate-limited",
      retryAfterMs: expect.any(Number),
    });
  });

  test("sign-in is passed on, and answered when it has ended", async () => {
    const client = await world.connect({ token: "admin" });
    const wanted = { agent: "a", methodId: "m" };
    expect((await client.ask("sign-in", wanted))["result"]).toEqual(wanted);
    expect(world.agents.signIns).toEqual([["a", "m", "admin"]]);
  });

  test("sign-out is passed on, and only for an admin", async () => {
    const [acting, watching] = [
      await world.connect({ token: "admin" }),
      await world.connect({ token: "watch" }),
    ];
    expect((await acting.ask("sign-out", { agent: "a" }))["result"]).toEqual({ agent: "a" });
    const refused = await watching.ask("sign-out", { agent: "a" });
    expect(refused["error"]).toMatchObject({ code: "forbidden" });
    expect(world.agents.signOuts).toEqual([["a", "admin"]]);
  });

  test("a terminal that is not there says so", async () => {
    const client = await world.connect({ token: "admin" });
    for (const [type, fields] of [
      ["terminal-attach", {}],
      ["terminal-input", { text: "x" }],
      ["terminal-resize", { columns: 80, rows: 24 }],
    ] as const) {
      expect((await client.ask(type, { terminalId: "t", ...fields }))["error"]).toMatchObject({
        code: "terminal-not-found",
      });
    }
    expect((await client.ask("terminal-detach", { terminalId: "t" }))["result"]).toEqual({});
  });

  test("failures of our own are told without their details", async () => {
    world.sessions.open = async () => {
      throw new TypeError("secret detail");
    };
    const client = await world.connect();
    const reply = await client.ask("open", { agent: "scripted", cwd: "/" });
    expect(reply["error"]).toMatchObject({ code: "internal-error" });
    expect(JSON.stringify(reply)).not.toContain("secret");
  });
});

describe("who only watches", () => {
  test("may attach and detach, and nothing else", async () => {
    const client = await world.connect({ token: "watch" });
    await client.ask("attach", { sessionId: session.id });
    await client.reach(session.id, 1);
    const { id: sessionId } = session;
    const tries = [
      await client.ask("prompt", { sessionId, promptId: "p", content: "hi" }),
      await client.ask("cancel", { sessionId }),
      await client.ask("open", { agent: "scripted", cwd: "/" }),
      await client.ask("delete", { sessionId }),
      await client.ask("set-mode", { sessionId, modeId: "code" }),
    ];
    for (const reply of tries) expect(reply["error"]).toMatchObject({ code: "forbidden" });
    expect(session.log.visible).toBe(1);
    expect((await client.ask("detach", { sessionId }))["result"]).toEqual({});
  });
});

describe("lists", () => {
  test("changes of sessions and agents are told to everybody", async () => {
    const clients = [await world.connect(), await world.connect({ token: "watch" })];
    session.tell("running");
    world.agents.change();
    for (const client of clients) {
      const { sessions } = await client.until(({ type }) => type === "sessions");
      expect(sessions).toMatchObject([{ sessionId: session.id, state: "running" }]);
      const { agents } = await client.until(({ type }) => type === "agents");
      expect(agents).toMatchObject([{ id: "absent" }, { id: "scripted" }]);
    }
  });

  test("who comes, goes or is called otherwise is told to everybody", async () => {
    const clients = [await world.connect(), await world.connect({ token: "watch" })];
    world.tokens.call({ a: "Laptop", b: "Phone" });
    for (const client of clients) {
      const told = await client.until(({ type }) => type === "people");
      expect(told).toEqual({ type: "people", people: { a: "Laptop", b: "Phone" } });
    }
    world.tokens.call({ b: "Anna's phone" });
    for (const client of clients) {
      const isLatest = ({ type, people }: Frame) => type === "people" && !("a" in Object(people));
      expect(await client.until(isLatest)).toMatchObject({ people: { b: "Anna's phone" } });
    }
  });

  test("how a sign-in goes is told to admins; others are told that there is one", async () => {
    const secret = "https://example.org/device?code=ABCD";
    world.agents.agents = world.agents.agents.map((agent) => ({
      ...agent,
      keys: [{ name: "First", variable: "FIRST_KEY" }],
      progress: { what: "sign-in", message: `Open ${secret}`, url: secret, terminalId: "t" },
    }));
    const [acting, watching] = [
      await world.connect({ token: "admin" }),
      await world.connect({ token: "watch" }),
    ];
    world.agents.change();
    const told = await acting.until(({ type }) => type === "agents");
    expect(JSON.stringify(told)).toContain(secret);
    expect(JSON.stringify(told)).toContain("FIRST_KEY");
    const { agents } = await watching.until(({ type }) => type === "agents");
    expect(JSON.stringify(agents)).not.toContain("FIRST_KEY");
    const progress = { what: "sign-in", message: "Somebody is signing in." };
    expect((agents as { progress: unknown }[]).map((agent) => agent.progress)).toEqual([
      progress,
      progress,
    ]);
  });

  test("changes that come together are one frame with the latest word", async () => {
    await using slow = await startWorld({ listDelayMs: 100 });
    const made = await slow.sessions.open({ agent: "scripted", cwd: "/", by: "test" });
    const client = await slow.connect();
    for (const state of ["running", "stalled", "idle", "needs-answer"] as const) made.tell(state);
    await client.until(({ type }) => type === "sessions");
    expect(client.frames).toMatchObject([{ sessions: [{ state: "needs-answer" }] }]);
  });
});
