import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona } from "@landline/testing";
import { expect, test } from "vitest";
import { firstLineBytes } from "@landline/system/first-line-token";
import { connectionLimits } from "../../src/limits.ts";
import { AgentProcess } from "./agent-process.ts";

interface Place {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

async function listening(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<{ agent: AgentProcess; place: Place }> {
  const agent = await AgentProcess.start(["--port", "0", ...args], environment);
  const place = (await agent.wire.until((line) => "port" in line)) as unknown as Place;
  return { agent, place };
}

/** A client that is disconnected while it writes also sees an error; only the end matters. */
function dial({ host, port }: Place): Socket {
  return connect({ host, port }).on("error", () => undefined);
}

function visitor(socket: Socket): Persona {
  const persona = new Persona("bare");
  persona.connect(
    ndJsonStream(
      Writable.toWeb(socket) as WritableStream<Uint8Array>,
      Readable.toWeb(socket) as ReadableStream<Uint8Array>,
    ),
  );
  return persona;
}

/** Everything that is received until the connection closes. */
async function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, "close");
  return text;
}

const hello = (meta?: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {}, ...(meta && { _meta: meta }) },
});

test("it prints its address, and serves every client with the token separately", async () => {
  const { agent: server, place } = await listening();
  await using agent = server;
  expect(place).toMatchObject({ host: "127.0.0.1", port: expect.any(Number) });
  expect(place.token.length).toBeGreaterThanOrEqual(connectionLimits.tokenCharactersMin);
  await using first = visitor(dial(place));
  await first.initialize({ "landline/token": place.token });
  const { sessionId } = await first.open(agent.cwd);
  expect(await first.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });

  const socket = dial(place);
  socket.write(`${JSON.stringify({ token: place.token })}\n`);
  await using second = visitor(socket);
  await second.initialize();
  // One client cannot see the other's sessions.
  await expect(second.prompt(sessionId, "think")).rejects.toMatchObject({ code: -32002 });
  expect([...first.wire.faults(), ...second.wire.faults()]).toEqual([]);
  agent.child.kill("SIGTERM");
  expect(await agent.ended).toEqual({ code: 0, signal: null });
});

test("a session ends with its connection, and can be opened by the next", async () => {
  const { agent: server, place } = await listening();
  await using agent = server;
  const socket = dial(place);
  const first = visitor(socket);
  await first.initialize({ "landline/token": place.token });
  const { sessionId } = await first.open(agent.cwd);
  socket.destroy();
  await first[Symbol.asyncDispose]();
  await using second = visitor(dial(place));
  await second.initialize({ "landline/token": place.token });
  const load = (): Promise<unknown> => second.load(sessionId, agent.cwd);
  // Until the first releases its lock.
  await expect
    .poll(() =>
      load()
        .then(() => "loaded")
        .catch(String),
    )
    .toBe("loaded");
});

test.each([
  ["no token", () => hello()],
  ["a wrong one", () => hello({ "landline/token": "wrong" })],
  ["a wrong first line", () => ({ token: "wrong" })],
  [
    "another request",
    ({ token }: Place) => ({ ...hello({ "landline/token": token }), method: "x" }),
  ],
  ["no object", () => 5],
])("%s is refused, and the connection closed", async (_what, first) => {
  const { agent: server, place } = await listening();
  await using _agent = server;
  const socket = dial(place);
  socket.write(`${JSON.stringify(first(place))}\n${JSON.stringify(hello())}\n`);
  const lines = (await heard(socket)).trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    error: { code: -32600, data: { reason: "token-needed" } },
  });
});

test("a first line that does not end closes the connection", async () => {
  const { agent: server, place } = await listening();
  await using _agent = server;
  const socket = dial(place);
  socket.write("x".repeat(firstLineBytes * 2));
  expect(await heard(socket)).toContain("token-needed");
});

test("connections are limited, and a closed one frees a slot", async () => {
  const { agent: server, place } = await listening();
  await using _agent = server;
  const waiting = Array.from({ length: connectionLimits.connections }, () => dial(place));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  expect(await heard(dial(place))).toBe("");
  const [first] = waiting;
  first?.end("{}\n");
  expect(first && (await heard(first))).toContain("token-needed");
  const tryAgain = () => {
    const late = dial(place);
    late.end("{}\n");
    return heard(late);
  };
  await expect.poll(tryAgain).toContain("token-needed");
  for (const socket of waiting) socket.destroy();
});

test("the token of the environment is accepted, and piped input is answered", async () => {
  const { agent: server, place } = await listening([], { LANDLINE_TOKEN: "of-my-own" });
  await using _agent = server;
  expect(place.token).toBe("of-my-own");
  const socket = dial(place);
  socket.end(`${JSON.stringify({ token: "of-my-own" })}\n${JSON.stringify(hello())}\n`);
  expect(JSON.parse(await heard(socket))).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
});

test("an address other than loopback requires a long token", async () => {
  for (const environment of [{}, { LANDLINE_TOKEN: "short" }]) {
    await using agent = await AgentProcess.start(["--port", "0", "--host", "0.0.0.0"], environment);
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr).toContain("LANDLINE_TOKEN");
    expect(agent.lines).toEqual([]);
  }
});

test("a port in use is reported", async () => {
  const { agent: server, place } = await listening();
  await using _agent = server;
  await using other = await AgentProcess.start(["--port", String(place.port)]);
  expect((await other.ended).code).toBe(1);
  expect(other.stderr).toContain("the port is in use");
});
