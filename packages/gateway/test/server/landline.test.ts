import { fold, LandlineError, type SessionEvent } from "@landline/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { model, modes } from "../sessions/agent-options.ts";
import { text, Watcher } from "../sessions/scripted-gateway.ts";
import type { Frame } from "./socket-client.ts";
import { TestGateway, type LoggedSession } from "./test-gateway.ts";

const toolCall = { toolCallId: "t", kind: "execute", rawInput: { command: "ls" } };
const scenario = {
  session: { modes, configOptions: [model] },
  turns: [
    { match: "wait", steps: [{ say: "Working." }], end: "never" },
    { match: "ask", steps: [{ permission: { toolCall } }] },
    { match: "/./", steps: [{ say: "Done." }] },
  ],
};

let world: TestGateway;
let session: LoggedSession;

beforeAll(async () => {
  world = await TestGateway.start({ scenario });
});

beforeEach(async () => {
  session = await world.recorded();
});

afterAll(() => world[Symbol.asyncDispose]());

describe("attach", () => {
  test("sends the head of the log first, then its events, then new ones", async () => {
    session.says("before");
    const client = await world.connect();
    const reply = await client.ask("attach", { sessionId: session.id });
    session.says("after");
    await client.reach(session.id, 3);

    expect(client.frames.find(({ type }) => type !== "sessions")).toEqual({
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

  test("continues after the cursor", async () => {
    for (const words of ["a", "b", "c"]) session.says(words);
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

  test("a repeated attach continues from its own cursor, and only once", async () => {
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
    const other = await world.recorded();
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

  test("a cursor ahead of the log gets a gap and a refusal", async () => {
    const client = await world.connect();
    const reply = await client.ask("attach", { sessionId: session.id, after: 99 });
    expect(reply["error"]).toMatchObject({ code: "cursor-ahead", head: 1 });
    expect(client.frames).toContainEqual({ type: "gap", sessionId: session.id, head: 1 });
    expect((await client.ask("attach", { sessionId: session.id }))["result"]).toBeDefined();
  });

  test("a log that can no longer be read is reported as a gap", async () => {
    await using failing = await TestGateway.start({ logLevel: "silent" });
    const client = await failing.connect();
    const broken = await failing.recorded();
    const { log } = broken;
    const tail = log.tail.bind(log);
    let end = (_error: Error) => {};
    log.tail = (after, sink) => {
      end = (error) => sink.end(error);
      return tail(after, sink);
    };
    await client.ask("attach", { sessionId: broken.id });
    end(new LandlineError("disk-failed"));
    expect(await client.until(({ type }) => type === "gap")).toMatchObject({
      sessionId: broken.id,
    });
  });

  test("a deleted session is reported as gone", async () => {
    const client = await world.connect();
    await client.ask("attach", { sessionId: session.id });
    await client.ask("delete", { sessionId: session.id });
    await client.until(({ gone = [] }) => (gone as unknown[]).includes(session.id));
    expect((await client.ask("attach", { sessionId: session.id }))["error"]).toMatchObject({
      code: "session-expired",
    });
  });
});

describe("a long log", () => {
  /** A session with 31 events; the index has made a snapshot after every 25. */
  async function longWorld(attachEvents = 10, snapshotEvents = 25) {
    const long = await TestGateway.start({ limits: { attachEvents, snapshotEvents } });
    const made = await long.recorded();
    for (let count = 0; count < 30; count++) made.says(`${count} `);
    // The list waits until the index has caught up.
    await long.ask("/api/sessions");
    return { long, made, view: await made.view() };
  }

  test("starts with a snapshot, and the events after it", async () => {
    const { long, made, view } = await longWorld();
    await using _ = long;
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id });
    await client.reach(made.id, 31);
    const attached = await client.until(({ type }) => type === "attached");
    expect(attached).toMatchObject({ from: "snapshot", head: 31 });
    const from = attached["view"] as typeof view;
    const folded = fold(from, client.events(made.id) as unknown as SessionEvent[]);
    expect(JSON.parse(JSON.stringify(folded))).toEqual(JSON.parse(JSON.stringify(view)));
    expect(client.events(made.id).map(({ seq }) => seq)).toEqual([26, 27, 28, 29, 30, 31]);
  });

  test.each([
    ["a cursor beyond the snapshot is not sent back", 2, 25, 27],
    ["a cursor near its end needs none", 10, 25, 21],
    ["without a snapshot, the log is enough", 10, 100, 0],
  ])("%s", async (_what, attachEvents, snapshotEvents, after) => {
    const { long, made } = await longWorld(attachEvents, snapshotEvents);
    await using _ = long;
    const client = await long.connect();
    await client.ask("attach", { sessionId: made.id, after });
    await client.reach(made.id, 31);
    expect(await client.until(({ type }) => type === "attached")).toMatchObject({ from: "tail" });
    expect(client.events(made.id)[0]).toMatchObject({ seq: after + 1 });
  });
});

describe("commands", () => {
  test("each is executed by the session, in the name of its client", async () => {
    const client = await world.connect();
    const { project: cwd } = world;
    const opened = await client.ask("open", { agent: "scripted", cwd, title: "New" });
    const { sessionId } = opened["result"] as { sessionId: string };
    expect(opened["result"]).toMatchObject({ agent: "scripted", cwd, title: "New" });
    await client.ask("attach", { sessionId });
    await client.ask("prompt", { sessionId, promptId: "p0", content: "wait" });

    const results = [
      await client.ask("prompt", { sessionId, promptId: "p1", content: "hi" }),
      await client.ask("prompt", { sessionId, promptId: "p1", content: "hi" }),
      await client.ask("change-prompt", { sessionId, promptId: "p1", content: "ho" }),
      await client.ask("change-prompt", { sessionId, promptId: "p1", before: null }),
      await client.ask("withdraw-prompt", { sessionId, promptId: "p1" }),
      await client.ask("cancel", { sessionId }),
      await client.ask("set-mode", { sessionId, modeId: "code" }),
      await client.ask("set-config", { sessionId, configId: "model", value: "large" }),
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
      { configId: "model", value: "large" },
      { sessionId, title: "Old" },
      {},
    ]);

    await client.until((frame) => JSON.stringify(frame).includes("session-closed"));
    const { id: by } = await world.tokenOf("control");
    const commanded = client
      .events(sessionId)
      .filter((event) => (event as { by?: unknown }).by === by)
      .map(({ kind }) => kind);
    expect(commanded).toEqual([
      "session-opened",
      "prompt-queued",
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
  });

  test("fork answers with the new session", async () => {
    const opened = await world.open();
    const client = await world.connect();
    const reply = await client.ask("fork", { sessionId: opened.id });
    expect(reply["result"]).toMatchObject({ parent: opened.id, agent: "scripted" });
  });

  test("the first answer to a request wins, and the second client is told who was first", async () => {
    const { session: asking, id: sessionId } = await world.open();
    using watcher = new Watcher(asking);
    await asking.prompt("p", text("ask"), "tester");
    const { askId } = await watcher.until("ask-opened");
    const [one, two] = [await world.connect(), await world.connect({ token: "control2" })];
    const answer = { sessionId, askId, outcome: { optionId: "allow" } };
    expect((await one.ask("answer", answer))["result"]).toEqual({
      askId,
      outcome: { outcome: "selected", optionId: "allow" },
    });
    expect((await two.ask("answer", answer))["error"]).toMatchObject({
      code: "ask-already-settled",
      by: { client: (await world.tokenOf("control")).id },
    });
  });

  test("sent without waiting, they reach a session in order", async () => {
    const { session: busy, id: sessionId, log } = await world.open();
    using watcher = new Watcher(busy);
    await busy.prompt("p", text("wait"), "tester");
    const { seq: after } = await watcher.until("update");
    const client = await world.connect();
    await client.ask("attach", { sessionId, after });
    const count = 60;
    for (let number = 0; number < count; number++) {
      const [type, fields] = [
        ["prompt", { promptId: `p${number}`, content: "go" }],
        ["rename", { title: `t${number}` }],
      ][number % 3 === 2 ? 1 : 0] as [string, object];
      client.send({ id: number, type, sessionId, ...fields });
    }
    await client.reach(sessionId, after + count);
    const seen = client.events(sessionId) as readonly { promptId?: string; title?: string }[];
    expect(seen.map(({ promptId, title }) => promptId ?? title)).toEqual(
      Array.from({ length: count }, (_, number) => `${number % 3 === 2 ? "t" : "p"}${number}`),
    );
    expect(log.head).toBe(after + count);
  });

  test("prompts are counted together with those of other transports", async () => {
    await using strict = await TestGateway.start({ limits: { promptsPerMinute: 1 } });
    const made = await strict.open();
    const client = await strict.connect();
    const prompt = (promptId: string) =>
      client.ask("prompt", { sessionId: made.id, promptId, content: "hi" });
    expect((await prompt("one"))["result"]).toBeDefined();
    expect((await prompt("two"))["error"]).toMatchObject({
      code: "rate-limited",
      retryAfterMs: expect.any(Number),
    });
  });

  test("an unknown terminal is reported", async () => {
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

  test("internal errors are sent without details", async () => {
    await using failing = await TestGateway.start({ logLevel: "silent" });
    failing.sessions.open = async () => {
      throw new TypeError("secret detail");
    };
    const client = await failing.connect();
    const reply = await client.ask("open", { agent: "scripted", cwd: "/" });
    expect(reply["error"]).toMatchObject({ code: "internal-error" });
    expect(JSON.stringify(reply)).not.toContain("secret");
  });
});

describe("a token with the role watch", () => {
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
  test("changes of sessions are sent to all clients", async () => {
    const clients = [await world.connect(), await world.connect({ token: "watch" })];
    await session.session.rename("Told", "tester");
    const told = expect.arrayContaining([expect.objectContaining({ title: "Told" })]);
    for (const client of clients) {
      const ours = ({ sessions }: Frame) => JSON.stringify(sessions)?.includes('"Told"');
      expect(await client.until((frame) => ours(frame) ?? false)).toMatchObject({ sessions: told });
    }
  });

  test("changes of devices are sent to all clients", async () => {
    const clients = [await world.connect(), await world.connect({ token: "watch" })];
    const phone = await world.addToken({ name: "Phone", role: "watch" });
    const has = (frame: Frame) => phone.id in Object(frame["people"]);
    for (const client of clients)
      expect(await client.until(has)).toMatchObject({
        type: "people",
        people: { [phone.id]: "Phone" },
      });
    await world.revoke(phone);
    for (const client of clients)
      await client.until(
        (frame) =>
          frame.type === "people" &&
          !has(frame) &&
          client.frames.indexOf(frame) > client.frames.findIndex(has),
      );
  });

  test("simultaneous changes are one frame with the latest state", async () => {
    await using slow = await TestGateway.start({ limits: { listDelayMs: 100 } });
    const made = await slow.recorded();
    const client = await slow.connect();
    // Recorded in one turn of the event loop, which no delay can split.
    const titles = ["one", "two", "three"];
    await Promise.all(titles.map((title) => made.session.rename(title, "tester")));
    await client.until(({ type }) => type === "sessions");
    const told = client.frames.filter(({ type }) => type === "sessions");
    expect(told).toMatchObject([{ sessions: [{ title: "three" }] }]);
  });
});
