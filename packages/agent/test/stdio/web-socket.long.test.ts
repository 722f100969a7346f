import { once } from "node:events";
import { connect } from "node:net";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { expect, test } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { AgentProcess } from "./agent-process.ts";

interface Place {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly token?: string;
}

async function listening(...args: string[]): Promise<{ agent: AgentProcess; place: Place }> {
  const agent = await AgentProcess.start(["--port", "0", ...args]);
  const place = (await agent.wire.until((line) => "port" in line)) as unknown as Place;
  return { agent, place };
}

function client(url: string, headers: Record<string, string> = {}): Persona {
  const persona = new Persona("bare");
  persona.connect(createWebSocketStream(url, { headers, WebSocket }));
  return persona;
}

/** The status of a refused upgrade, or 101. */
async function upgrade(url: string, options: ClientOptions): Promise<number> {
  const socket = new WebSocket(url, options);
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.on("error", () => undefined);
  socket.once("open", () => resolve(101));
  socket.once("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
  const status = await promise;
  socket.terminate();
  return status;
}

const hello = (meta: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {}, _meta: meta },
});

test("the official client uses it over WebSocket, with the token in the header", async () => {
  const { agent: server, place } = await listening("--websocket");
  await using agent = server;
  expect(place.url).toBe(`ws://127.0.0.1:${place.port}`);
  await using persona = client(place.url, { authorization: `Bearer ${place.token}` });
  await persona.initialize();
  const { sessionId } = await persona.open(agent.cwd);
  expect(await persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
  expect(persona.wire.faults()).toEqual([]);
  agent.child.kill("SIGTERM");
  expect(await agent.ended).toEqual({ code: 0, signal: null });
});

test("a page gives the token in initialize, and its message may have line breaks", async () => {
  const { agent: server, place } = await listening("--websocket");
  await using _agent = server;
  const socket = new WebSocket(place.url, { origin: "https://editor.example" });
  await once(socket, "open");
  socket.send(JSON.stringify(hello({ "landline/token": place.token }), null, 2));
  const [answer] = (await once(socket, "message")) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  socket.terminate();
});

test("over WebSocket, a missing or wrong token is refused, and the connection closed", async () => {
  const { agent: server, place } = await listening("--websocket");
  await using _agent = server;
  const headers = { authorization: "Bearer wrong" };
  expect(await upgrade(place.url, { headers })).toBe(401);
  for (const meta of [{}, { "landline/token": "wrong" }]) {
    const socket = new WebSocket(place.url);
    await once(socket, "open");
    const closed = once(socket, "close");
    socket.send(JSON.stringify(hello(meta)));
    const [answer] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({
      id: 1,
      error: { code: -32600, data: { reason: "token-needed" } },
    });
    await closed;
  }
  expect((await fetch(place.url.replace("ws:", "http:"))).status).toBe(426);
});

test("a client that is refused and resets the connection does not end the agent", async () => {
  const { agent: server, place } = await listening("--websocket");
  await using _agent = server;
  const request = [
    "GET / HTTP/1.1",
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Authorization: Bearer wrong",
  ];
  for (let times = 0; times < 5; times++) {
    // The agent still reads from a connection whose end it has sent.
    const socket = connect({ ...place, allowHalfOpen: true }).on("error", () => undefined);
    socket.write(`${request.join("\r\n")}\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain("401");
    socket.resetAndDestroy();
    await once(socket, "close");
  }
  const headers = { authorization: `Bearer ${place.token}` };
  expect(await upgrade(place.url, { headers })).toBe(101);
});

test("with --no-token, programs of this machine connect, and web pages of other places do not", async () => {
  const { agent: server, place } = await listening("--websocket", "--no-token");
  await using agent = server;
  expect(place).not.toHaveProperty("token");
  expect(agent.stderr).toContain("Warning");
  await using persona = client(place.url);
  await persona.initialize();
  expect(await upgrade(place.url, { origin: "http://localhost:5173" })).toBe(101);
  expect(await upgrade(place.url, { origin: "https://hostile.example" })).toBe(403);
  expect(await upgrade(place.url, { headers: { host: "hostile.example" } })).toBe(403);
});

test("with --no-token on TCP, ACP is served and HTTP is cut off", async () => {
  const { agent: server, place } = await listening("--no-token");
  await using _agent = server;
  const said = async (text: string) => {
    const socket = connect(place.port, place.host).on("error", () => undefined);
    let heard = "";
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    socket.end(text);
    await once(socket, "close");
    return heard;
  };
  const message = `${JSON.stringify(hello())}\n`;
  expect(JSON.parse(await said(message))).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${message}`;
  expect(JSON.parse(await said(request))).toMatchObject({ error: { data: { reason: "not-acp" } } });
});

test("--no-token is refused beyond loopback, and options of the network without --port", async () => {
  for (const args of [
    ["--port", "0", "--host", "0.0.0.0", "--no-token"],
    ["--no-token"],
    ["--websocket"],
  ]) {
    await using agent = await AgentProcess.start(args);
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr).toContain(args.includes("--no-token") ? "--no-token" : "--websocket");
    expect(agent.lines).toEqual([]);
  }
});
