import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "./socket-client.ts";
import { TestGateway, Writes } from "./test-gateway.ts";

let world: TestGateway;
let upgrade: string;

beforeAll(async () => {
  world = await TestGateway.start();
  const { token } = await world.tokenOf("control");
  upgrade =
    `GET /ws?token=${token} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
});

afterAll(() => world[Symbol.asyncDispose]());

/** It still answers: this client, or another one. */
async function works(client: TestClient): Promise<boolean> {
  const { id: sessionId } = await world.recorded();
  await client.ask("attach", { sessionId });
  await client.reach(sessionId, 1);
  return true;
}

describe("invalid messages", () => {
  test.each([
    ["not JSON", "{", null, "parse-error"],
    ["empty", "", null, "parse-error"],
    ["a number", "7", null, "invalid-params"],
    ["null", "null", null, "invalid-params"],
    ["a list", "[]", null, "invalid-params"],
    ["no type", '{"id":99}', 99, "invalid-params"],
    ["an unknown type", '{"id":"a","type":"sudo"}', "a", "invalid-params"],
    ["a number for a session", '{"id":99,"type":"attach","sessionId":7}', 99, "invalid-params"],
    [
      "a cursor below zero",
      '{"id":99,"type":"attach","sessionId":"s","after":-1}',
      99,
      "invalid-params",
    ],
    [
      "a cursor as a string",
      '{"id":99,"type":"attach","sessionId":"s","after":"x"}',
      99,
      "invalid-params",
    ],
    ["an object for an id", '{"id":{},"type":"cancel","sessionId":"s"}', null, "invalid-params"],
    ["a prototype", '{"__proto__":{"type":"cancel"},"id":99}', 99, "invalid-params"],
    ["an unknown session", '{"id":99,"type":"attach","sessionId":"s"}', 99, "session-not-found"],
    [
      "a path for a session",
      '{"id":99,"type":"cancel","sessionId":"../../x"}',
      99,
      "session-not-found",
    ],
    ["a NUL", '{"id":99,"type":"cancel","sessionId":"a\\u0000"}', 99, "invalid-params"],
  ])("%s", async (_, text, id, code) => {
    const client = await world.connect();
    client.socket.send(text);
    const reply = await client.until(({ type }) => type === "reply");
    expect(reply).toMatchObject({ id, error: { code, help: expect.any(String) } });
    expect(await works(client)).toBe(true);
  });

  test("a binary message is refused without harm", async () => {
    const client = await world.connect();
    client.socket.send(Buffer.from('{"id":1,"type":"detach","sessionId":"s"}'));
    expect(await client.until(({ type }) => type === "reply")).toMatchObject({
      id: null,
      error: { code: "invalid-request" },
    });
    expect(await works(client)).toBe(true);
  });

  test("a client of bridge.v1 gets an error frame of its dialect", async () => {
    const client = await world.connect({ protocols: ["bridge.v1"] });
    for (const text of ["{", "null", '{"type":"sudo"}', '{"type":"send_message","sessionId":1}']) {
      client.socket.send(text);
    }
    client.socket.send(Buffer.from("{}"));
    await client.until((frame) => frame["code"] === "invalid-request");
    expect(client.frames.map(({ type, code }) => [type, code])).toEqual([
      ["error", "parse-error"],
      ["error", "invalid-params"],
      ["error", "invalid-params"],
      ["error", "invalid-params"],
      ["error", "invalid-request"],
    ]);
  });

  test("a refusal does not repeat the input", async () => {
    const client = await world.connect();
    client.socket.send('{"id":1,"type":"secret-word","sessionId":"secret-word"}');
    const reply = await client.until(({ type }) => type === "reply");
    expect(JSON.stringify(reply)).not.toContain("secret-word");
  });
});

describe("invalid frames", () => {
  test("a message that is too large closes the socket with 1009", async () => {
    await using small = await TestGateway.start({ limits: { socketMessageBytes: 1_000 } });
    const client = await small.connect();
    client.socket.send("x".repeat(1_001));
    expect(await client.closed).toMatchObject({ code: 1009 });
    const next = await small.connect();
    expect((await next.ask("detach", { sessionId: "s" }))["result"]).toEqual({});
  });

  test("a message that is too large for a watch token closes only its socket", async () => {
    const [watching, control] = await Promise.all([
      world.connect({ token: "watch" }),
      world.connect(),
    ]);
    watching.socket.send("x".repeat(65_537));
    expect(await watching.closed).toMatchObject({ code: 1009 });
    control.socket.send("x".repeat(65_537));
    expect(await control.until(({ type }) => type === "reply")).toMatchObject({
      error: { code: "parse-error" },
    });
  });

  test("text that is not UTF-8 closes it with 1007", async () => {
    const client = await world.connect();
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await client.closed).toMatchObject({ code: 1007 });
  });

  test.each([
    ["garbage", Buffer.from("\u0000\u0001GET / HTTP/1.1\r\n\r\n".repeat(50))],
    ["an unmasked frame", Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ["a reserved opcode", Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ["an impossible length", Buffer.from([0x81, 0xff, ...Array.from({ length: 12 }, () => 255)])],
    ["half a frame, and the end", Buffer.from([0x81, 0xfe, 0xff])],
  ])("%s ends only that socket", async (name, bytes) => {
    const other = await world.connect();
    const socket = connectTcp(world.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(upgrade);
    await once(socket, "data");
    const ended = once(socket, "close");
    socket.resume();
    socket.write(bytes);
    if (name.includes("the end")) socket.end();
    await ended;
    expect(await works(other)).toBe(true);
  });

  test("an upgrade that is aborted does not end the process", async () => {
    const socket = connectTcp(world.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(upgrade);
    socket.resetAndDestroy();
    expect(await works(await world.connect())).toBe(true);
  });
});

describe("floods", () => {
  test("are slowed, then refused with a retry time; others are unaffected", async () => {
    await using strict = await TestGateway.start({ limits: { socketCommandsPerMinute: 600 } });
    const flooder = await strict.connect();
    const other = await strict.connect();
    const count = 3_000;
    for (let id = 1; id <= count; id++) flooder.send({ id, type: "detach", sessionId: "s" });
    const refused = await flooder.until((frame) => "error" in frame);
    expect(refused).toMatchObject({
      id: expect.any(Number),
      error: { code: "rate-limited", retryAfterMs: expect.any(Number) },
    });
    expect((await other.ask("detach", { sessionId: "s" }))["result"]).toEqual({});
    // Ten per second, after a burst of a hundred: whatever passed was allowed.
    const results = flooder.frames.filter((frame) => "result" in frame).length;
    expect(results).toBeGreaterThanOrEqual(100);
    expect(results).toBeLessThan(200);
    expect(await (await strict.ask("/metrics")).text()).toMatch(
      /landline_rate_limited_total\{[^}]*\} [1-9]/,
    );
  });

  test("commands above the limit wait unread, and are all answered in the end", async () => {
    await using strict = await TestGateway.start({ limits: { socketCommandsOpen: 4 } });
    const gate = Promise.withResolvers<void>();
    const session = await strict.recorded();
    let waiting = 0;
    session.session.cancel = async () => {
      waiting += 1;
      await gate.promise;
    };
    const client = await strict.connect();
    // Each is longer than one read of a socket, so that they arrive one by one.
    const padding = "x".repeat(200_000);
    const count = 40;
    for (let id = 1; id <= count; id++) {
      client.send({ id, type: "cancel", sessionId: session.id, _meta: { padding } });
    }
    await expect.poll(() => waiting).toBeGreaterThanOrEqual(4);
    const other = await strict.connect();
    expect((await other.ask("detach", { sessionId: "s" }))["result"]).toEqual({});
    expect(waiting).toBeLessThan(10);
    gate.resolve();
    await client.until((frame) => frame["id"] === count);
    expect(client.frames).toHaveLength(count);
  });

  /** A gateway, and the most unread bytes of one of its clients. */
  async function measured(clientUnsentBytes: number) {
    const strict = await TestGateway.start({
      limits: {
        clientUnsentBytes,
        socketCommandsPerMinute: 60_000_000,
        // No ping of the gateway interferes.
        socketQuietMs: 600_000,
      },
    });
    return { strict, writes: new Writes(strict) };
  }

  test("a client that does not read replies is not read from", async () => {
    const { strict, writes } = await measured(10_000);
    await using _ = strict;
    const client = await strict.connect();
    client.socket.pause();
    // Ids are repeated in replies: a thousand bytes in, a thousand bytes out.
    const padding = "x".repeat(1_000);
    const count = 8_000;
    for (let round = 1; round <= count; round++) {
      client.send({ id: `${round} ${padding}`, type: "detach", sessionId: "s" });
    }
    await writes.untilUnsent(10_000);
    client.socket.resume();
    await client.until((frame) => String(frame["id"]).startsWith(`${count} `));
    expect(client.frames).toHaveLength(count);
    // The bound, and the replies to one read.
    expect(writes.mostUnsent).toBeLessThan(10_000 + 4 * 65_536);
  });

  test("a client that sends pings and does not read pongs is not read from", async () => {
    const { strict, writes } = await measured(10_000);
    await using _ = strict;
    const client = await strict.connect();
    let pongs = 0;
    client.socket.on("pong", () => (pongs += 1));
    client.socket.pause();
    const count = 60_000;
    const payload = Buffer.alloc(125);
    for (let round = 0; round < count; round++) client.socket.ping(payload);
    await writes.untilUnsent(10_000);
    client.socket.resume();
    await expect.poll(() => pongs).toBe(count);
    expect(writes.mostUnsent).toBeLessThan(10_000 + 4 * 65_536);
  });

  test("a flood of pings is slowed", async () => {
    await using strict = await TestGateway.start({ limits: { socketCommandsPerMinute: 600 } });
    const client = await strict.connect();
    let pongs = 0;
    client.socket.on("pong", () => (pongs += 1));
    const padding = Buffer.alloc(125);
    for (let round = 0; round < 20_000; round++) client.socket.ping(padding);
    // One read contains more than a minute's budget; the next waits.
    await expect.poll(() => pongs).toBeGreaterThan(100);
    const other = await strict.connect();
    for (let round = 0; round < 40; round++) await other.ask("detach", { sessionId: "s" });
    expect(pongs).toBeLessThan(5_000);
  });

  test("a socket follows a limited number of sessions", async () => {
    await using strict = await TestGateway.start({ limits: { sessionsPerSocket: 2 } });
    const client = await strict.connect();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      const session = await strict.recorded();
      ids.push(session.id);
    }
    const replies = await Promise.all(ids.map((sessionId) => client.ask("attach", { sessionId })));
    expect(replies[0]!["result"]).toBeDefined();
    expect(replies[1]!["result"]).toBeDefined();
    expect(replies[2]!["error"]).toMatchObject({ code: "invalid-request" });
    await client.ask("detach", { sessionId: ids[0] });
    expect((await client.ask("attach", { sessionId: ids[2] }))["result"]).toBeDefined();
    const bridge = await strict.connect({ protocols: ["bridge.v1"] });
    for (const sessionId of ids) bridge.send({ type: "load_session", sessionId });
    expect(await bridge.until(({ type }) => type === "error")).toMatchObject({
      code: "invalid-request",
    });
  });
});
