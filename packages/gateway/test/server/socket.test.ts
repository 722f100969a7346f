import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestClient } from "./socket-client.ts";
import { TestGateway } from "./test-gateway.ts";

let world: TestGateway;
let control: string;

beforeEach(async () => {
  world = await TestGateway.start();
  control = (await world.tokenOf("control")).token;
});

afterEach(() => world[Symbol.asyncDispose]());

/** The status and body of a refused upgrade. */
async function refused(path: string, headers: Record<string, string> = {}) {
  const sent = httpRequest({
    port: world.port,
    host: "127.0.0.1",
    path,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
      ...headers,
    },
  });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const part of response) body += String(part);
  return { status: response.statusCode, problem: JSON.parse(body) as unknown };
}

describe("an upgrade", () => {
  test("needs a token", async () => {
    expect(await refused("/ws")).toMatchObject({ status: 401, problem: { code: "unauthorized" } });
    expect(await refused("/ws?token=wrong")).toMatchObject({ status: 401 });
  });

  test("of a foreign host or origin is refused, with any token", async () => {
    expect(await refused(`/ws?token=${control}`, { host: "evil.example" })).toMatchObject({
      status: 403,
      problem: { code: "forbidden" },
    });
    expect(await refused(`/ws?token=${control}`, { origin: "https://evil.example" })).toMatchObject(
      {
        status: 403,
      },
    );
  });

  test("an unknown path is refused", async () => {
    expect(await refused(`/other?token=${control}`)).toMatchObject({ status: 404 });
  });

  test("may have the token as a subprotocol beside the real one, which is never repeated", async () => {
    const address = `ws://127.0.0.1:${world.port}/ws`;
    const client = new TestClient(new WebSocket(address, [`token.${control}`, "landline.v1"]));
    await client.opened;
    expect(client.socket.protocol).toBe("landline.v1");
    expect(await refused("/ws", { "sec-websocket-protocol": `token.${control}` })).toMatchObject({
      status: 400,
      problem: { code: "invalid-request" },
    });
  });

  test("chooses the first supported subprotocol, and bridge.v1 if none is offered", async () => {
    const both = await world.connect({ protocols: ["soap", "bridge.v1", "landline.v1"] });
    expect(both.socket.protocol).toBe("bridge.v1");
    const none = await world.connect({ protocols: [] });
    expect(none.socket.protocol).toBe("");
    none.send({ type: "new_session" });
    await none.until(({ type }) => type === "session_ready");
  });

  test("nothing is compressed", async () => {
    const client = await world.connect();
    expect(client.socket.extensions).toBe("");
  });

  test("a base path is part of the URL", async () => {
    await using behind = await TestGateway.start({
      address: { basePath: "/landline", hosts: [], origins: [] },
    });
    const client = await behind.connect();
    expect((await client.ask("detach", { sessionId: "x" }))["result"]).toEqual({});
  });

  test("sockets over the limit are refused with a retry time", async () => {
    await world[Symbol.asyncDispose]();
    world = await TestGateway.start({ limits: { socketsOpen: 1 } });
    control = (await world.tokenOf("control")).token;
    const first = await world.connect();
    expect(await refused(`/ws?token=${control}`)).toMatchObject({
      status: 429,
      problem: { code: "rate-limited", retryAfterMs: expect.any(Number) },
    });
    first.socket.close();
    await first.closed;
    await expect.poll(() => openSockets(world)).toBe(0);
    await world.connect();
  });
});

test("sockets of one token over its limit are refused, and those of others are not", async () => {
  await using small = await TestGateway.start({ limits: { socketsPerToken: 2 } });
  const first = await small.connect({ token: "watch" });
  await small.connect({ token: "watch" });
  await expect(small.connect({ token: "watch" })).rejects.toThrow("429");
  await small.connect({ token: "control" });
  first.socket.close();
  await first.closed;
  await expect.poll(() => openSockets(small)).toBe(2);
  await small.connect({ token: "watch" });
});

const openSockets = (gateway: TestGateway) => gateway.metric('landline_clients{transport="ws"}');

describe("the end", () => {
  test("close sends 1001 to all clients, within its time limit even without answers", async () => {
    const polite = await world.connect();
    const silent = await world.connect();
    silent.socket.pause();
    await Promise.all([world.close(), world.close()]);
    expect(await polite.closed).toMatchObject({ code: 1001 });
  });

  test("no client is accepted afterwards", async () => {
    await world.connect();
    await world.close();
    await expect(world.connect()).rejects.toThrow("ECONNREFUSED");
  });

  test("a revoked token ends its sockets and no others", async () => {
    const session = await world.recorded();
    const [kept, lost] = [await world.connect(), await world.connect({ token: "control2" })];
    await lost.ask("attach", { sessionId: session.id });
    await world.revoke(await world.tokenOf("control2"));
    // Sent before the other end knows: neither executed nor answered.
    lost.send({ id: 9, type: "prompt", sessionId: session.id, promptId: "late", content: "x" });
    expect(await lost.closed).toMatchObject({ code: 1008 });
    expect((await kept.ask("attach", { sessionId: session.id }))["result"]).toBeDefined();
    expect(session.log.head).toBe(1);
    await expect(world.connect({ token: "control2" })).rejects.toThrow("401");
  });

  test("a command that ends after its socket attaches to nothing", async () => {
    const session = await world.recorded();
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let tails = 0;
    const { log } = session;
    const tail = log.tail.bind(log);
    log.tail = (...given) => {
      tails += 1;
      return tail(...given);
    };
    world.sessions.get = async () => {
      asked.resolve();
      await gate.promise;
      return session.session;
    };
    const client = await world.connect();
    client.send({ id: 1, type: "attach", sessionId: session.id });
    await asked.promise;
    client.leave();
    await expect.poll(() => openSockets(world)).toBe(0);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(tails).toBe(0);
  });
});

describe("an idle connection", () => {
  test("gets pings that JavaScript can see, and none while there is traffic", async () => {
    await using quick = await TestGateway.start({ limits: { socketQuietMs: 90 } });
    const client = await quick.connect();
    await client.until(({ type }) => type === "ping");
    const bridge = await quick.connect({ protocols: ["bridge.v1"] });
    let pings = 0;
    bridge.socket.on("ping", () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(1);
    expect(bridge.types()).toEqual([]);
  });

  test("a client that answers no ping is disconnected; one that does stays", async () => {
    await using quick = await TestGateway.start({ limits: { socketQuietMs: 60 } });
    const alive = await quick.connect();
    const dead = await quick.connect();
    // Reads nothing, so it can't answer: a half-open connection.
    dead.socket.pause();
    await expect.poll(() => openSockets(quick)).toBe(1);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
    expect((await alive.ask("detach", { sessionId: "x" }))["result"]).toEqual({});
  });
});
