import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { ResumableStream } from "../../src/server/acp/resumable-stream.ts";
import {
  AcpHttpClient,
  initializeMessage,
  messagesOf,
  postTo,
  responseTo,
} from "./acp-http-client.ts";
import type { SseClient } from "./sse-client.ts";
import { TestGateway, Writes } from "./test-gateway.ts";

const text = (words: string) => [{ type: "text", text: words }];

/** Reads a session, and what its agent said. */
function said(stream: SseClient): readonly string[] {
  return messagesOf(stream).flatMap(({ params }) => {
    const { update } = (params ?? {}) as {
      readonly update?: { readonly sessionUpdate: string; readonly content: { text: string } };
    };
    return update?.sessionUpdate === "agent_message_chunk" ? [update.content.text] : [];
  });
}

/** A connection that follows a session. */
async function following(gateway: TestGateway, sessionId: string) {
  const client = await AcpHttpClient.connect(gateway);
  const stream = await client.stream(sessionId, "0");
  await client.post(request(1, "session/resume", { sessionId, cwd: "/repo" }), sessionId);
  await responseTo(stream, 1);
  return { client, stream };
}

function request(id: number, method: string, params: object = {}) {
  return { jsonrpc: "2.0", id, method, params };
}

describe("the transport", () => {
  test("answers initialize with JSON, and everything else on the streams", async () => {
    await using gateway = await TestGateway.start({
      scenario: { turns: [{ steps: [{ say: "Hello." }] }] },
    });
    const answer = await postTo(gateway, initializeMessage);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
    expect(answer.headers.get("acp-connection-id")).toMatch(/^[\w-]{32}$/);
    // It names the process, and neither the token nor the connection.
    expect(answer.headers.get("set-cookie")).toMatch(
      /^landline-route=[0-9a-f-]{36}; Path=\/acp; HttpOnly; SameSite=Strict$/,
    );

    using client = await AcpHttpClient.connect(gateway);
    const connection = await client.stream();
    const opened = await client.post(
      request(1, "session/new", { cwd: gateway.project, mcpServers: [] }),
    );
    expect(opened.status).toBe(202);
    expect(await opened.text()).toBe("");
    const { sessionId } = (await responseTo(connection, 1)).result as { sessionId: string };
    const session = await client.stream(sessionId);
    await client.post(request(2, "session/prompt", { sessionId, prompt: text("Hi") }), sessionId);
    expect(await responseTo(session, 2)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(said(session)).toEqual(["Hello."]);
    expect(messagesOf(connection).map(({ id }) => id)).toEqual([1]);

    expect((await client.delete()).status).toBe(202);
    await session.untilEnd();
    await connection.untilEnd();
    expect((await client.post(request(3, "session/list"))).status).toBe(404);
  });

  test("a WebSocket gets its connection id with the upgrade", async () => {
    await using gateway = await TestGateway.start();
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/acp`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    const [response] = (await once(socket, "upgrade")) as [
      { headers: Record<string, string | string[]> },
    ];
    expect(response.headers["acp-connection-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(String(response.headers["set-cookie"])).toMatch(/^landline-route=/);
    socket.terminate();
  });

  test("session/load sends the history on the session's stream", async () => {
    await using gateway = await TestGateway.start();
    const session = await gateway.recorded();
    session.says("One.");
    using client = await AcpHttpClient.connect(gateway);
    const connection = await client.stream();
    const stream = await client.stream(session.id);
    await client.post(
      request(1, "session/load", { sessionId: session.id, cwd: "/repo", mcpServers: [] }),
      session.id,
    );
    await responseTo(connection, 1);
    await stream.until(() => said(stream).length > 0);
    expect(said(stream)).toEqual(["One."]);
    // The id is the cursor, which is the sequence number of the event.
    expect(stream.events[0]?.id).toBe("2");
    expect(messagesOf(stream)[0]?.params).toMatchObject({ _meta: { "acp/cursor": 2 } });
  });
});

describe("statuses", () => {
  const cases: readonly [name: string, status: number, ask: Ask][] = [
    ["no token", 401, (gateway) => bare(gateway, "POST", {})],
    ["another content type", 415, (gateway) => postWith(gateway, "text/plain")],
    ["no content type", 415, (gateway) => gateway.ask("/acp", { method: "POST", body: "{}" })],
    ["no JSON", 400, (gateway) => postTo(gateway, "{")],
    ["a JSON value that is not a message", 400, (gateway) => postTo(gateway, "1")],
    ["a batch", 501, (gateway) => postTo(gateway, [initializeMessage])],
    ["initialize without an id", 400, (gateway) => postTo(gateway, { method: "initialize" })],
    ["no connection id", 400, (gateway) => postTo(gateway, request(1, "session/list"))],
    ["an unknown connection", 404, (gateway) => postWithId(gateway, "unknown")],
    ["GET without Accept", 406, (gateway) => gateway.ask("/acp")],
    ["GET of another type", 406, (gateway) => accepting(gateway, "application/json")],
    ["GET without an id", 400, (gateway) => accepting(gateway, "text/event-stream")],
    ["DELETE without an id", 400, (gateway) => gateway.ask("/acp", { method: "DELETE" })],
    ["another method", 405, (gateway) => gateway.ask("/acp", { method: "PUT" })],
    ["an unknown agent", 404, (gateway) => withQuery(gateway, "?agent=nobody")],
    ["a foreign origin", 403, (gateway) => fromOrigin(gateway, "https://evil.example")],
    ["a foreign host", 403, (gateway) => toHost(gateway, "evil.example")],
    ["a deep value", 422, (gateway) => postTo(gateway, "[".repeat(300) + "]".repeat(300))],
    ["a body that is too long", 413, (gateway) => postTo(gateway, `"${"x".repeat(40_000)}"`)],
  ];

  test("of requests that are refused", async () => {
    await using gateway = await TestGateway.start({ limits: { lineBytes: 32_768 } });
    const found: [string, number][] = [];
    for (const [name, , ask] of cases) found.push([name, (await ask(gateway)).status]);
    expect(found).toEqual(cases.map(([name, status]) => [name, status]));
  });

  test("of a connection that exists", async () => {
    await using gateway = await TestGateway.start();
    using client = await AcpHttpClient.connect(gateway);
    const prompt = request(1, "session/prompt", { sessionId: "a", prompt: [] });
    expect((await client.post(initializeMessage)).status).toBe(400);
    expect((await client.post(prompt)).status).toBe(400);
    expect((await client.post(prompt, "b")).status).toBe(400);
    expect((await client.post(prompt, "a")).status).toBe(202);
    expect((await client.post(prompt, "a".repeat(2_000))).status).toBe(400);
    const unknown = await client.stream("a", "99");
    await unknown.until(() => unknown.head !== "");
    expect(unknown.head).toContain("HTTP/1.1 409 ");
  });

  test("an unknown session is an error of that request", async () => {
    await using gateway = await TestGateway.start();
    using client = await AcpHttpClient.connect(gateway);
    const stream = await client.stream("nothing");
    await client.post(
      request(1, "session/prompt", { sessionId: "nothing", prompt: text("Hi") }),
      "nothing",
    );
    expect(await responseTo(stream, 1)).toMatchObject({ error: { code: -32002 } });
  });
});

type Ask = (gateway: TestGateway) => Promise<Response>;

function bare({ port }: TestGateway, method: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/acp`, { method, body: JSON.stringify(body) });
}

function postWith(gateway: TestGateway, type: string): Promise<Response> {
  return postTo(gateway, initializeMessage, { headers: { "content-type": type } });
}

function postWithId(gateway: TestGateway, id: string): Promise<Response> {
  return postTo(gateway, request(1, "session/list"), { headers: { "acp-connection-id": id } });
}

function accepting(gateway: TestGateway, accept: string): Promise<Response> {
  return gateway.ask("/acp", { headers: { accept } });
}

function withQuery(gateway: TestGateway, query: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return gateway.ask(`/acp${query}`, { method: "POST", body: initializeMessage, headers });
}

function fromOrigin(gateway: TestGateway, origin: string): Promise<Response> {
  return postTo(gateway, initializeMessage, { headers: { origin } });
}

function toHost(gateway: TestGateway, host: string): Promise<Response> {
  return postTo(gateway, initializeMessage, { headers: { host } });
}

describe("a stream that was cut", () => {
  test("continues after Last-Event-ID, however often it is cut", async () => {
    await using gateway = await TestGateway.start();
    const session = await gateway.recorded();
    const { client, stream: first } = await following(gateway, session.id);
    using _client = client;
    const expected = Array.from({ length: 200 }, (_, index) => `${index} `);
    const received: string[] = [];
    let stream = first;
    let lastId = "0";
    for (const [index, words] of expected.entries()) {
      session.says(words);
      // The positions of the cuts are spread over the messages, some of which are already written.
      if ((index * 7) % 11 > 3) continue;
      stream.close();
      await stream.untilEnd();
      received.push(...said(stream));
      lastId = stream.events.at(-1)?.id ?? lastId;
      stream = await client.stream(session.id, lastId);
    }
    await stream.until(() => said(stream).at(-1) === expected.at(-1));
    received.push(...said(stream));
    expect(received).toEqual(expected);
  });

  test("sends a permission request and a response again until they are acknowledged", async () => {
    const permission = { toolCall: { toolCallId: "w", title: "Write" }, on: { allow: [] } };
    await using gateway = await TestGateway.start({
      scenario: { turns: [{ steps: [{ permission }, { say: "Done." }] }] },
    });
    const { id: sessionId } = await gateway.open();
    const { client, stream } = await following(gateway, sessionId);
    using _client = client;
    await client.post(request(2, "session/prompt", { sessionId, prompt: text("Hi") }), sessionId);
    const asks = (from: SseClient) =>
      messagesOf(from).filter(({ method }) => method === "session/request_permission");
    await stream.until(() => asks(stream).length === 1);
    stream.close();
    // The client has received the response to session/resume, and nothing that followed it.
    const [, lastId] = stream.events.map(({ id }) => id);
    const again = await client.stream(sessionId, stream.events[0]?.id ?? lastId ?? "0");
    await again.until(() => asks(again).length === 1);
    expect(asks(again)).toEqual(asks(stream));
    const outcome = { outcome: { outcome: "selected", optionId: "allow" } };
    const answer = { jsonrpc: "2.0", id: asks(again)[0]?.id, result: outcome };
    expect((await client.post(answer)).status).toBe(400);
    expect((await client.post(answer, sessionId)).status).toBe(202);
    await responseTo(again, 2);
    again.close();
    const third = await client.stream(sessionId, again.events.at(-2)?.id ?? "");
    expect(await responseTo(third, 2)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(messagesOf(third)).toHaveLength(1);
  });

  test("a newer stream takes over from one that may be dead", async () => {
    await using gateway = await TestGateway.start();
    const session = await gateway.recorded();
    const { client, stream: old } = await following(gateway, session.id);
    using _client = client;
    session.says("One.");
    await old.until(() => said(old).length === 1);
    const stream = await client.stream(session.id, old.events.at(-1)?.id ?? "");
    await old.untilEnd();
    session.says("Two.");
    await stream.until(() => said(stream).length > 0);
    expect(said(stream)).toEqual(["Two."]);
  });

  test("is refused with 409 if its messages are not kept, and session/resume continues", async () => {
    await using gateway = await TestGateway.start({ limits: { acpReplayBytes: 100 } });
    const session = await gateway.recorded();
    const { client, stream } = await following(gateway, session.id);
    using _client = client;
    for (let index = 0; index < 20; index++) session.says(`${index}`);
    await stream.until(() => said(stream).length === 20);
    stream.close();
    const [, second] = stream.events;
    const refused = await client.stream(session.id, second?.id ?? "");
    await refused.until(() => refused.head !== "");
    expect(refused.head).toContain("HTTP/1.1 409 ");
    expect(refused.head).not.toContain("text/event-stream");
    const again = await client.stream(session.id);
    const resume = { sessionId: session.id, cwd: "/repo", _meta: { "acp/cursor": second?.id } };
    await client.post(request(2, "session/resume", resume), session.id);
    await responseTo(again, 2);
    const index = said(stream).length - said(again).length;
    expect(index).toBeGreaterThan(0);
    expect(said(again)).toEqual(said(stream).slice(index));
    expect(messagesOf(again)[0]?.params).toMatchObject({
      _meta: { "acp/cursor": Number(second?.id) + 1 },
    });
  });
});

describe("a connection", () => {
  test("belongs to the token that opened it", async () => {
    await using gateway = await TestGateway.start();
    using client = await AcpHttpClient.connect(gateway, "control");
    const list = request(1, "session/list");
    expect((await client.post(list, undefined, { as: "control2" })).status).toBe(404);
    expect((await client.post(list, undefined, { as: "admin" })).status).toBe(404);
    expect((await client.delete("control2")).status).toBe(404);
    expect((await client.post(list)).status).toBe(202);
  });

  test("ends with its token", async () => {
    await using gateway = await TestGateway.start();
    using client = await AcpHttpClient.connect(gateway);
    const stream = await client.stream();
    await stream.until(() => stream.head !== "");
    expect(await gateway.metric('landline_clients{transport="acp"}')).toBe(1);
    await gateway.revoke(await gateway.tokenOf("control"));
    await stream.untilEnd();
    expect(await gateway.metric('landline_clients{transport="acp"}')).toBe(0);
  });

  test("is one of a limited number for each token", async () => {
    await using gateway = await TestGateway.start({ limits: { socketsPerToken: 2 } });
    using first = await AcpHttpClient.connect(gateway);
    await AcpHttpClient.connect(gateway);
    const third = await postTo(gateway, initializeMessage);
    expect(third.status).toBe(429);
    expect(third.headers.get("retry-after")).not.toBeNull();
    expect((await postTo(gateway, initializeMessage, { as: "control2" })).status).toBe(200);
    await first.delete();
    expect((await postTo(gateway, initializeMessage)).status).toBe(200);
  });

  test("ends if its client is gone", async () => {
    await using gateway = await TestGateway.start({ limits: { acpIdleMs: 20, socketQuietMs: 15 } });
    using client = await AcpHttpClient.connect(gateway);
    while ((await gateway.metric('landline_clients{transport="acp"}')) > 0);
    expect((await client.post(request(1, "session/list"))).status).toBe(404);
  });

  test("ends when initialize fails", async () => {
    await using gateway = await TestGateway.start();
    const answer = await postTo(gateway, initializeMessage, { as: "watch" });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ id: 0, error: { message: /watch/ } });
    expect(await gateway.metric('landline_clients{transport="acp"}')).toBe(0);
  });
});

describe("a client that does not read", () => {
  test("stops the updates, and gets all of them when it reads", async () => {
    const limits = { clientUnsentBytes: 65_536, acpReplayBytes: 65_536 };
    await using gateway = await TestGateway.start({ limits });
    const writes = new Writes(gateway);
    const session = await gateway.recorded();
    const { client, stream } = await following(gateway, session.id);
    using _client = client;
    stream.socket.pause();
    const words = "x".repeat(10_000);
    const count = 2_000;
    for (let index = 0; index < count; index++) session.says(`${index} ${words}`);
    await writes.untilUnsent(16_384);
    // Another connection is not delayed by it.
    const other = await following(gateway, session.id);
    using _other = other.client;
    session.says("last");
    await other.stream.until(() => other.stream.events.at(-1)?.data.includes('"last"') ?? false);
    expect(writes.mostUnsent).toBeLessThan(1_000_000);
    stream.socket.resume();
    await stream.until(() => stream.events.at(-1)?.data.includes('"last"') ?? false);
    const numbers = said(stream)
      .slice(0, -1)
      .map((each) => Number(each.split(" ")[0]));
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index));
  });

  test("leaves the updates in the log while the stream of the session is closed", async () => {
    const pushed = vi.spyOn(ResumableStream.prototype, "push");
    using _restored = { [Symbol.dispose]: () => pushed.mockRestore() };
    await using gateway = await TestGateway.start({ limits: { clientUnsentBytes: 65_536 } });
    const session = await gateway.recorded();
    const { client, stream } = await following(gateway, session.id);
    using _client = client;
    const [itsStream] = pushed.mock.contexts;
    stream.close();
    await stream.untilEnd();
    const other = await following(gateway, session.id);
    using _other = other.client;
    const count = 2_000;
    for (let index = 0; index < count; index++) session.says(`${index} ${"x".repeat(10_000)}`);
    session.says("last");
    const isLast = (from: SseClient) => () => from.events.at(-1)?.data.includes('"last"') ?? false;
    await other.stream.until(isLast(other.stream));
    const waiting = pushed.mock.contexts.filter((each) => each === itsStream);
    expect(waiting.length).toBeLessThan(count / 2);
    const again = await client.stream(session.id, stream.events.at(-1)?.id ?? "0");
    await again.until(isLast(again));
    expect(said(again)).toEqual(said(other.stream));
  });
});

test("a client that sends too much is not read for a while, and then refused", async () => {
  const limits = { socketCommandsPerMinute: 6, socketCommandsOpen: 2 };
  await using gateway = await TestGateway.start({ limits });
  using client = await AcpHttpClient.connect(gateway);
  const long = { cwd: `/${"x".repeat(20_000)}` };
  const statuses: number[] = [];
  const refused = Promise.withResolvers<void>();
  const sent = Array.from({ length: 8 }, async (_, index) => {
    const { status } = await client.post(request(index + 1, "session/list", long));
    statuses.push(status);
    if (status === 429) refused.resolve();
  });
  await refused.promise;
  await client.delete();
  await Promise.all(sent);
  // What was waiting ends with the connection.
  expect(new Set(statuses)).toEqual(new Set([202, 404, 429]));
});

test("a connection follows a limited number of sessions", async () => {
  await using gateway = await TestGateway.start({ limits: { sessionsPerSocket: 1 } });
  const [first, second] = [await gateway.recorded(), await gateway.recorded()];
  const { client } = await following(gateway, first.id);
  using _client = client;
  const connection = await client.stream();
  const before = (await (await gateway.ask("/api/sessions")).json()) as { sessions: unknown[] };
  await client.post(
    request(2, "session/resume", { sessionId: second.id, cwd: "/repo" }),
    second.id,
  );
  await client.post(request(3, "session/new", { cwd: gateway.project, mcpServers: [] }));
  // The response for another session is sent on the stream of the connection, because there is no room for one.
  expect(await responseTo(connection, 2)).toMatchObject({ error: { message: /1 session/ } });
  expect(await responseTo(connection, 3)).toMatchObject({ error: { message: /1 session/ } });
  const after = (await (await gateway.ask("/api/sessions")).json()) as { sessions: unknown[] };
  expect(after.sessions).toHaveLength(before.sessions.length);
});

test("a body that is sent too slowly is refused", async () => {
  await using gateway = await TestGateway.start({ limits: { requestMs: 1, headersMs: 1 } });
  const socket = connect({ host: "127.0.0.1", port: gateway.port });
  socket.write(
    `POST /acp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${gateway.token}\r\n` +
      "content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  );
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, "close");
  expect(answer).toContain(" 408 ");
});
