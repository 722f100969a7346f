import { setImmediate as nextTurn } from "node:timers/promises";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { LandlineError } from "@landline/protocol";
import { Persona, type WireMessage } from "@landline/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { LogChunk, SessionLog } from "../../src/log/log.ts";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, Watcher } from "../sessions/scripted-gateway.ts";

const scenario = {
  turns: [
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
    { match: "long", steps: [{ say: "x".repeat(5_000) }] },
    {
      match: "write",
      steps: [
        {
          permission: {
            toolCall: { toolCallId: "w1", title: "Write" },
            on: { allow: [{ say: "Done." }] },
          },
        },
      ],
    },
  ],
};

interface Client {
  readonly persona: Persona;
  readonly socket: WebSocket;
}

async function connect(gateway: ScriptedGateway, persona = new Persona("full")): Promise<Client> {
  const sockets: WebSocket[] = [];
  const { url, token } = gateway;
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${token}` },
      WebSocket: class extends WebSocket {
        constructor(...given: ConstructorParameters<typeof WebSocket>) {
          super(...given);
          sockets.push(this);
        }
      },
    }),
  );
  await persona.initialize();
  onTestFinished(() => persona[Symbol.asyncDispose]());
  return { persona, socket: sockets[0]! };
}

/** A client that does not answer permission requests by itself. */
const silent = () => new Persona("full", { permission: "never" });

const updates = ({ method }: WireMessage["message"]) => method === "session/update";
const asks = ({ method }: WireMessage["message"]) => method === "session/request_permission";

function cursorOf({ params }: WireMessage["message"]): number | undefined {
  const { _meta } = (params ?? {}) as { readonly _meta?: Readonly<Record<string, number>> };
  return _meta?.["acp/cursor"];
}

const hasCursor = (cursor: number) => (message: WireMessage["message"]) =>
  updates(message) && cursorOf(message) === cursor;

function cursors({ wire }: Persona): number[] {
  return wire.messages.flatMap(({ from, message }) => {
    const cursor = cursorOf(message);
    return from === "agent" && updates(message) && cursor !== undefined ? [cursor] : [];
  });
}

function prompt(persona: Persona, sessionId: string, words: string, promptId: string) {
  return persona.agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: words }],
    _meta: { "landline/promptId": promptId },
  });
}

function resume(persona: Persona, sessionId: string, cursor: number) {
  return persona.agent.request("stream/resume", { sessionId, cursor });
}

/** A session that has more text than the buffers between the gateway and a client. */
async function longSession(gateway: ScriptedGateway): Promise<Session> {
  const session = await gateway.openSession("agent");
  const content = { type: "text", text: "x".repeat(8_000) };
  const update = { sessionUpdate: "agent_message_chunk", content };
  const events = Array.from({ length: 100 }, () => ({ kind: "update", update }) as const);
  for (let count = 0; count < 20; count++) (session.log as SessionLog).append(events);
  return session;
}

/** Resolves when the gateway has noticed that no ACP client is connected. */
async function whenGone(gateway: ScriptedGateway): Promise<void> {
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  for (let text = "acp"; /clients\{[^}]*"acp"[^}]*\} [1-9]/.test(text) || text === "acp";)
    text = await (await fetch(`${url}/metrics`, { headers })).text();
}

/** Answers the open permission request. */
async function allow(session: Session): Promise<void> {
  const { openAsks } = await session.view();
  for (const { askId } of openAsks)
    await session.answer(askId, { outcome: "selected", optionId: "allow" }, "tester");
}

/** Makes the calls of a method wait until they are released. */
function held<Name extends string>(
  object: { [Key in Name]: (...given: never[]) => Promise<unknown> },
  name: Name,
) {
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const original = object[name];
  object[name] = async (...given) => {
    called.resolve();
    await released.promise;
    return original.apply(object, given);
  };
  return {
    called: called.promise,
    release: () => {
      object[name] = original;
      released.resolve();
    },
  };
}

describe("a session that cannot be followed", () => {
  test.each([
    ["session/load", "one file", 1e9],
    ["session/load", "several files", 1e6],
    ["session/new", "one file", 1e9],
  ])(
    "because it is deleted while a client reads its history (%s, %s)",
    async (method, _files, segmentBytes) => {
      await using gateway = await ScriptedGateway.open({ agent: scenario }, { segmentBytes });
      const { id: sessionId, log } = await longSession(gateway);
      const head = log.visible;
      const slow = await connect(gateway);
      const _meta = { "landline/attach": sessionId };
      const load = slow.persona.agent.request(method, {
        ...(method === "session/load" ? { sessionId } : { _meta }),
        cwd: gateway.project,
        mcpServers: [],
      });
      await slow.persona.wire.until(updates);
      slow.socket.pause();
      const other = await connect(gateway);
      await other.persona.agent.request("session/delete", { sessionId });
      slow.socket.resume();
      const outcome = await load.then(
        () => "loaded",
        (error: { readonly data: { readonly reason: string } }) => error.data.reason,
      );
      expect(outcome).toBe(segmentBytes === 1e9 ? "loaded" : "session-closed");
      if (segmentBytes === 1e9) await slow.persona.wire.until(hasCursor(head));
      // The gateway goes on, for this client too.
      const { sessionId: next } = await slow.persona.open(gateway.project);
      expect(await slow.persona.prompt(next, "hello")).toMatchObject({ stopReason: "end_turn" });
    },
  );

  test("because a text cannot be read fails its prompts only", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario }, { blobBytes: 1_000 });
    const { persona } = await connect(gateway);
    const { sessionId } = await persona.open(gateway.project);
    const { log } = await gateway.sessions.get(sessionId);
    const failed = vi.spyOn(log, "blob").mockRejectedValue(new LandlineError("disk-failed"));
    const answer = await persona.prompt(sessionId, "long").catch((error: unknown) => error);
    expect(answer).toMatchObject({ data: { reason: "disk-failed" } });
    failed.mockRestore();
    expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  });

  test("because its view cannot be read keeps the earlier follower", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const { persona } = await connect(gateway, silent());
    const { sessionId } = await persona.open(gateway.project);
    const prompted = persona.prompt(sessionId, "write");
    await persona.wire.until(asks);
    const session = await gateway.sessions.get(sessionId);
    vi.spyOn(session, "view").mockRejectedValueOnce(new LandlineError("disk-failed"));
    await expect(persona.load(sessionId, gateway.project)).rejects.toMatchObject({
      data: { reason: "disk-failed" },
    });
    await allow(session);
    expect(await prompted).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("a client that opens a session which it follows", () => {
  test("keeps its prompts if the cursor is refused", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const { persona } = await connect(gateway, silent());
    const { sessionId } = await persona.open(gateway.project);
    const prompted = persona.prompt(sessionId, "write");
    await persona.wire.until(asks);
    const refused = { data: { reason: "cursor-ahead" } };
    await expect(resume(persona, sessionId, 1_000_000)).rejects.toMatchObject(refused);
    await expect(
      persona.agent.request("session/load", {
        sessionId,
        cwd: gateway.project,
        mcpServers: [],
        _meta: { "acp/cursor": 1_000_000 },
      }),
    ).rejects.toMatchObject(refused);
    const session = await gateway.sessions.get(sessionId);
    await allow(session);
    expect(await prompted).toMatchObject({ stopReason: "end_turn" });
    expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  });

  test("keeps its prompts if it loads the session meanwhile", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const { persona } = await connect(gateway, silent());
    const { sessionId } = await persona.open(gateway.project);
    const first = prompt(persona, sessionId, "write", "p1");
    await persona.wire.until(asks);
    const session = await gateway.sessions.get(sessionId);
    // The turn ends while the session is opened again, before any new follower reads.
    const view = held(session, "view");
    const resumed = persona.agent.request("session/resume", {
      sessionId,
      cwd: gateway.project,
      mcpServers: [],
    });
    await view.called;
    const second = prompt(persona, sessionId, "hello", "p2");
    view.release();
    await resumed;
    await allow(session);
    expect(await first).toMatchObject({ stopReason: "end_turn" });
    expect(await second).toMatchObject({ stopReason: "end_turn" });
  });

  test("gets one history after the other if it loads the session twice at once", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const { persona } = await connect(gateway);
    const { sessionId } = await persona.open(gateway.project);
    await persona.prompt(sessionId, "hello");
    const next = (await connect(gateway)).persona;
    await Promise.all([
      next.load(sessionId, gateway.project),
      next.load(sessionId, gateway.project),
    ]);
    const sent = cursors(next);
    const half = sent.length / 2;
    expect(sent.slice(0, half)).toEqual(sent.slice(half));
    expect(sent.slice(0, half)).toEqual(sent.slice(0, half).toSorted((a, b) => a - b));
    expect(half).toBeGreaterThan(2);
  });
});

describe("a client that is gone", () => {
  test("is sent nothing, and its history is not read to the end", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const session = await longSession(gateway);
    const { log } = session;
    const reads: { last: number; readonly ended: PromiseWithResolvers<void> }[] = [];
    const read = log.read.bind(log);
    vi.spyOn(log, "read").mockImplementation(async function* (after): AsyncGenerator<LogChunk> {
      const one = { last: after, ended: Promise.withResolvers<void>() };
      reads.push(one);
      try {
        for await (const chunk of read(after)) {
          one.last = chunk.last;
          yield chunk;
        }
      } finally {
        one.ended.resolve();
      }
    });
    const { persona, socket } = await connect(gateway);
    persona.load(session.id, gateway.project).catch(() => {});
    await persona.wire.until(updates);
    socket.terminate();
    // Earlier reads were for the view.
    const history = reads.at(-1);
    await history?.ended.promise;
    expect(history?.last).toBeLessThan(log.visible);
  });

  test("follows no session that its requests find later", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const session = await gateway.openSession("agent");
    const { persona, socket } = await connect(gateway);
    const lookup = held(gateway.sessions, "get");
    const load = persona.load(session.id, gateway.project).catch(() => {});
    await lookup.called;
    socket.terminate();
    await load;
    await whenGone(gateway);
    const tail = vi.spyOn(session.log, "tail");
    lookup.release();
    // Requests of another client take the same steps, and more of them.
    const other = (await connect(gateway)).persona;
    await other.load(session.id, gateway.project);
    await nextTurn();
    expect(tail).toHaveBeenCalledOnce();
  });

  test("leaves no fork whose id it never received", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const { persona, socket } = await connect(gateway);
    const { sessionId } = await persona.open(gateway.project);
    await persona.prompt(sessionId, "hello");
    const fork = held(await gateway.sessions.get(sessionId), "fork");
    const forked = persona.fork(sessionId, gateway.project).catch(() => {});
    await fork.called;
    socket.terminate();
    await forked;
    await whenGone(gateway);
    const { promise: deleted, resolve } = Promise.withResolvers<string>();
    using _watch = gateway.sessions.watch((change) => {
      if ("deleted" in change) resolve(change.sessionId);
    });
    fork.release();
    expect(await deleted).not.toBe(sessionId);
    await gateway.sessions.indexed();
    const { sessions } = await gateway.sessions.list({});
    expect(sessions).toMatchObject([{ sessionId }]);
  });
});

describe("a prompt to a session that is being opened", () => {
  test.each(["session/cancel", "$/cancel_request"])("is cancelled by %s", async (method) => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const session = await gateway.openSession("agent");
    using watcher = new Watcher(session);
    const { persona, socket } = await connect(gateway);
    const view = held(session, "view");
    const prompted = persona.prompt(session.id, "hello");
    await view.called;
    const { id: requestId } = persona.wire.messages.at(-1)!.message;
    const params = method === "session/cancel" ? { sessionId: session.id } : { requestId };
    socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    // The answer to a later request: the cancel was received.
    await persona.agent.request("session/list", {});
    view.release();
    expect(await prompted).toMatchObject({
      stopReason: "cancelled",
      _meta: { "landline/withdrawn": true },
    });
    expect(await persona.prompt(session.id, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(watcher.kinds.filter((kind) => kind === "turn-started")).toHaveLength(1);
  });

  test("is answered if it is a repeated one", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = (await connect(gateway)).persona;
    const { sessionId } = await editor.open(gateway.project);
    const first = await prompt(editor, sessionId, "hello", "p1");
    const { persona } = await connect(gateway);
    const view = held(await gateway.sessions.get(sessionId), "view");
    const resumed = persona.agent.request("session/resume", {
      sessionId,
      cwd: gateway.project,
      mcpServers: [],
    });
    await view.called;
    const again = prompt(persona, sessionId, "hello", "p1");
    await persona.agent.request("session/list", {});
    await persona.agent.request("session/list", {});
    view.release();
    await resumed;
    expect(await again).toEqual(first);
  });
});

test("the output of the latest terminals only is kept for later updates", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  const session = await gateway.openSession("agent");
  const { persona } = await connect(gateway, new Persona("bare"));
  await persona.load(session.id, gateway.project);
  const ids = Array.from({ length: 100 }, (_, count) => `t${count}`);
  const log = session.log as SessionLog;
  log.append(ids.map((terminalId) => ({ kind: "terminal-output", terminalId, text: terminalId })));
  const shows = (terminalId: string | undefined) =>
    ({
      kind: "update",
      update: {
        sessionUpdate: "tool_call",
        toolCallId: `call ${terminalId}`,
        title: "Run",
        content: [{ type: "terminal", terminalId }],
      },
    }) as const;
  log.append([shows(ids[0]), shows(ids.at(-1))]);
  await persona.wire.until((message) => JSON.stringify(message).includes("call t99"));
  const shown = persona.wire.updates(session.id).flatMap((update) => {
    const { content } = update as { readonly content?: unknown };
    return Array.isArray(content) ? (content as unknown[]) : [];
  });
  expect(shown).toEqual(
    ["", "t99"].map((text) => ({ type: "content", content: { type: "text", text } })),
  );
});

test("a client is not cut off while the gateway does not read from it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await using gateway = await ScriptedGateway.open({ agent: scenario }, { socketCommandsOpen: 1 });
  const session = await gateway.openSession("agent");
  const { persona, socket } = await connect(gateway);
  const view = held(session, "view");
  const loaded = persona.load(session.id, gateway.project);
  await view.called;
  // More than the gateway reads ahead.
  const filler = JSON.stringify({ jsonrpc: "2.0", method: "filler", params: "x".repeat(10_000) });
  for (let count = 0; count < 20; count++) socket.send(filler);
  await new Promise<void>((resolve) => socket.send(filler, () => resolve()));
  await fetch(`${gateway.url}/health`);
  vi.advanceTimersByTime(600_000 * 20);
  view.release();
  await loaded;
  expect(await persona.prompt(session.id, "hello")).toMatchObject({ stopReason: "end_turn" });
});
