import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limitsOf } from "@landline/protocol";
import { AgentConnection } from "../../src/acp-connection/connection.ts";
import { rpc, update, Wire } from "./test-peer.ts";

let wire: Wire;
beforeEach(() => {
  wire = new Wire();
});
afterEach(() => wire.connection.destroy());

describe("lines that are not protocol messages", () => {
  test("are counted, stored in part, and stop nothing", async () => {
    const own = new Wire({ noiseLinesKept: 3, noiseLineLength: 10 });
    await own.say(
      "hello",
      "",
      "   ",
      "x".repeat(50),
      ...Array.from({ length: 40 }, (_, at) => `line ${at}`),
      update(1),
    );
    expect(own.noises).toEqual([
      { lines: ["hello", `${"x".repeat(10)}…`, "line 0"], count: 42, reason: "not JSON" },
    ]);
    expect(own.messages).toEqual([["update", "s", 1]]);
    await own.say("more", "and more");
    expect(own.noises).toHaveLength(1);
    own.fromAgent.end();
    await once(own.fromAgent, "close");
    expect(own.noises[1]).toEqual({ lines: ["more", "and more"], count: 2, reason: "not JSON" });
    expect(own.connection.noiseLines).toBe(44);
  });

  test("a line over the limit is skipped; a request in it is answered, a response fails its call", async () => {
    const own = new Wire({ lineBytes: 10_000 });
    const call = own.outcome("_big");
    const long = "x".repeat(200_000);
    await own.say(
      update(1),
      {
        ...rpc,
        id: 5,
        method: "fs/write_text_file",
        params: { sessionId: "s", path: "/a", content: long },
      },
      { ...rpc, id: 0, result: { long } },
      { ...rpc, method: "session/update", params: { sessionId: "s", update: { long } } },
      update(2),
    );
    expect((await call).error).toMatchObject({ code: "message-too-large" });
    expect(own.messages).toEqual([
      ["update", "s", 1],
      ["update", "s", 2],
    ]);
    expect((await own.sent())[1]).toMatchObject({
      id: 5,
      error: { data: { reason: "message-too-large" } },
    });
    expect(own.noises[0]).toMatchObject({
      count: 3,
      reason: expect.stringMatching(/^longer than the limit for a line \(\d+ bytes\)$/),
    });
    own.connection.destroy();
  });

  test("half a message at the end is noise", async () => {
    wire.fromAgent.end('{"jsonrpc":"2.0","method":"session/upd');
    await once(wire.fromAgent, "close");
    expect(wire.noises[0]).toMatchObject({ count: 1, reason: "not JSON" });
  });

  test("unknown notifications pass; the flat update of seed 002 becomes an update", async () => {
    await wire.say(
      { ...rpc, method: "_auth/status_update", params: { a: 1 } },
      {
        ...rpc,
        method: "session/update",
        params: { sessionId: "s", type: "text", content: { text: "hi" } },
      },
      { ...rpc, method: "session/update", params: { sessionId: "s", status: "idle" } },
    );
    expect(wire.messages).toEqual([
      ["notification", "_auth/status_update", { a: 1 }],
      [
        "update",
        "s",
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } },
      ],
    ]);
    expect(wire.connection.hits.total).toBe(2);
  });

  test("a request that is sent as a notification is harmless", async () => {
    await wire.say({ ...rpc, method: "fs/read_text_file", params: { path: "/a" } }, update(1));
    expect(wire.messages).toEqual([
      ["notification", "fs/read_text_file", { path: "/a" }],
      ["update", "s", 1],
    ]);
  });
});

describe("back-pressure", () => {
  test("reading pauses at the limit of open requests until one is answered", async () => {
    const own = new Wire({ agentRequestsOpen: 2 });
    const ask = (id: number) => ({ ...rpc, id, method: "_ask" });
    await own.say(ask(1), ask(2));
    await own.say(ask(3));
    expect(own.requests).toHaveLength(2);
    own.requests[0]?.answer({});
    await soon();
    expect(own.requests).toHaveLength(3);
    own.connection.destroy();
  });

  test("hold pauses reading, and release resumes it", async () => {
    wire.connection.hold("rate");
    wire.connection.hold("other");
    await wire.say(update(1));
    wire.connection.release("rate");
    await soon();
    expect(wire.messages).toEqual([]);
    wire.connection.release("other");
    await soon();
    expect(wire.messages).toEqual([["update", "s", 1]]);
  });

  // A real process that writes requests without end and reads nothing: the pipes must block it, not fill the memory.
  test("reading pauses for an agent that does not read its responses", async () => {
    const child = spawn(
      process.execPath,
      [
        "-e",
        `let id = 0; (function ask() { while (process.stdout.write(JSON.stringify({jsonrpc:"2.0",id:id++,method:"_ask"})+"\\n")); process.stdout.once("drain", ask); })()`,
      ],
      { stdio: ["pipe", "pipe", "ignore"] },
    );
    try {
      let asked = 0;
      const held = Promise.withResolvers<void>();
      const answer = { content: "y".repeat(20_000) };
      const connection: AgentConnection = new AgentConnection(child.stdout, child.stdin, {
        update: () => {},
        notification: () => {},
        request: (request) => {
          asked++;
          request.answer(answer);
        },
        noise: () => {},
        flush: () => {
          if (child.stdout.isPaused()) held.resolve();
        },
        closed: () => {},
      });
      await held.promise;
      // One read can contain some thousand requests; no further read happens.
      const whenHeld = asked;
      for (let turn = 0; turn < 50; turn++) await soon();
      expect(asked).toBe(whenHeld);
      expect(child.stdin.writableLength).toBeLessThan(64 * 1_024 * 1_024);
      let free = false;
      void connection.whenWritable().then(() => (free = true));
      await soon();
      expect(free).toBe(false);
      connection.destroy();
      await soon();
      expect(free).toBe(true);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });

  test("a call fails if too much output is unread", async () => {
    const output = new PassThrough({ highWaterMark: 1 });
    const own = new AgentConnection(new PassThrough(), output, wire, {
      limits: limitsOf("default", { agentOutboxBytesMax: 1_000, callsOpen: 3 }),
    });
    const outcomes = [1, 2, 3, 4].map(() => own.request("_x", { text: "x".repeat(400) }));
    const settled = await Promise.race([Promise.allSettled(outcomes.slice(2)), soon("pending")]);
    expect(settled).toMatchObject([
      { reason: { code: "agent-not-reading" } },
      { reason: { code: "agent-not-reading" } },
    ]);
    for (const outcome of outcomes) outcome.catch(() => {});
    own.destroy();
  });
});

describe("over TCP", () => {
  test("the connection works the same", async () => {
    const server = createServer((socket) => {
      socket.on("data", (chunk: Buffer) => {
        const { id } = JSON.parse(chunk.toString()) as { id: number };
        socket.write(
          `${JSON.stringify(update(1))}\n${JSON.stringify({ ...rpc, id, result: { protocolVersion: 1 } })}\n`,
        );
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket: Socket = connect((server.address() as { port: number }).port, "127.0.0.1");
    const own = new AgentConnection(socket, socket, wire);
    expect(await own.request("initialize", { protocolVersion: 1 })).toEqual({ protocolVersion: 1 });
    expect(wire.messages).toEqual([["update", "s", 1]]);
    own.destroy();
    server.close();
  });
});

test("an agent that floods does not block others", async () => {
  const count = 40_000;
  await using folder = await mkdtempDisposable(join(tmpdir(), "landline-flood-"));
  const file = join(folder.path, "lines");
  await writeFile(file, `${JSON.stringify(update(1))}\n`.repeat(count));
  // It writes as fast as it is read, which no agent in Node does.
  const agent = spawn("cat", [file], { stdio: ["pipe", "pipe", "inherit"] });
  let total = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  agent.stdout.on("data", (chunk: Buffer) => {
    total += chunk.length;
    inTurn += chunk.length;
    mostInTurn = Math.max(mostInTurn, inTurn);
  });
  const flush = wire.flush.bind(wire);
  wire.flush = () => {
    // Work that takes longer than the agent needs to send more.
    const until = performance.now() + 2;
    while (performance.now() < until) Math.sqrt(until);
    flush();
  };
  const own = new AgentConnection(agent.stdout, agent.stdin, wire);
  const closed = once(agent.stdout, "close");
  while (!agent.stdout.closed) {
    inTurn = 0;
    await soon();
  }
  await closed;
  own.destroy();
  const { agentTurnBytes } = limitsOf("default");
  expect(wire.messages.length).toBe(count + 1);
  expect(wire.messages.at(-1)).toEqual(["closed", null]);
  expect(total).toBeGreaterThan(16 * agentTurnBytes);
  // Data that was read while it was paused comes with the next turn.
  expect(mostInTurn).toBeLessThanOrEqual(2 * agentTurnBytes);
});
