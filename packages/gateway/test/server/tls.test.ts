import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { makeCertificate, Persona } from "@landline/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";

let folder = "";
let files = { cert: "", key: "" };
let ca = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-tls-"));
  files = await makeCertificate(folder);
  ca = await readFile(files.cert, "utf8");
});

afterAll(() => rm(folder, { recursive: true }));

const scenario = { turns: [{ steps: [{ say: "Hello." }] }] };

function open(limits = {}): Promise<ScriptedGateway> {
  return ScriptedGateway.open({ agent: scenario }, limits, { certificate: files });
}

interface Http2Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** One request over HTTP/2. Ends when `until` matches the text, or with the response. */
async function ask(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body?: string,
  until?: RegExp,
): Promise<Http2Answer> {
  const stream = session.request(headers);
  if (body !== undefined) stream.write(body);
  stream.end();
  stream.setEncoding("utf8");
  let text = "";
  const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
  for await (const piece of stream) {
    text += piece as string;
    if (until?.test(text)) break;
  }
  return { status: Number(answer[":status"]), headers: answer, text };
}

test("serves HTTP/2: lists, uploads, event streams and ACP", async () => {
  await using gateway = await open();
  const { url, token } = gateway;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const session = connectHttp2(url, { ca });
  const authorization = `Bearer ${token}`;
  const json = { authorization, "content-type": "application/json" };
  const list = await ask(session, { ":path": "/api/sessions", authorization });
  expect(list.status).toBe(200);
  expect(JSON.parse(list.text)).toMatchObject({ sessions: [] });
  const refused = await ask(session, { ":path": "/api/sessions" });
  expect(refused.status).toBe(401);

  const opened = await ask(
    session,
    { ":method": "POST", ":path": "/api/sessions", ...json },
    JSON.stringify({ agent: "agent", cwd: gateway.project, title: "x".repeat(100) }),
  );
  expect(opened.status).toBe(201);
  const { sessionId } = JSON.parse(opened.text) as { sessionId: string };
  const long = "y".repeat(300_000);
  const hash = createHash("sha256").update(long).digest("hex");
  const prompted = await ask(
    session,
    { ":method": "POST", ":path": `/api/sessions/${sessionId}/prompts`, ...json },
    JSON.stringify({ content: [{ type: "text", text: long }] }),
  );
  expect(prompted.status).toBeLessThan(300);
  const events = await ask(
    session,
    { ":path": `/api/sessions/${sessionId}/events`, accept: "text/event-stream", authorization },
    undefined,
    /turn-ended/,
  );
  expect(events.text).toContain("Hello.");
  const exported = await ask(session, {
    ":path": `/api/sessions/${sessionId}/export?format=json`,
    authorization,
  });
  expect(exported.text).toContain(hash);
  const blob = await ask(session, {
    ":path": `/api/blobs/${hash}?session=${sessionId}`,
    authorization,
  });
  expect(blob.text.length).toBeGreaterThanOrEqual(long.length);

  const initialize = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: 1 },
  };
  const started = await ask(
    session,
    { ":method": "POST", ":path": "/acp?agent=agent", ...json },
    JSON.stringify(initialize),
  );
  expect(started.status).toBe(200);
  const acp = { authorization, "acp-connection-id": String(started.headers["acp-connection-id"]) };
  const load = { sessionId, cwd: gateway.project, mcpServers: [] };
  const stream = ask(
    session,
    { ":path": "/acp", accept: "text/event-stream", "acp-session-id": sessionId, ...acp },
    undefined,
    /Hello\./,
  );
  const posted = await ask(
    session,
    { ":method": "POST", ":path": "/acp", "acp-session-id": sessionId, ...json, ...acp },
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/load", params: load }),
  );
  expect(posted.status).toBe(202);
  expect((await stream).text).toContain("agent_message_chunk");
  session.destroy();
});

test("serves HTTP/1.1 and WebSockets on the same port", async () => {
  await using gateway = await open();
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  const sent = request(`${url}/api/sessions`, { ca, headers, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  expect(answer.httpVersion).toBe("1.1");
  answer.resume();

  class Trusting extends WebSocket {
    constructor(address: string, protocols: string[] | undefined, options: object) {
      super(address, protocols, { ...options, ca });
    }
  }
  await using persona = new Persona("full");
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers,
      WebSocket: Trusting as never,
    }),
  );
  await persona.initialize();
  const { sessionId } = await persona.open(gateway.project);
  expect(await persona.prompt(sessionId, "Hi")).toMatchObject({ stopReason: "end_turn" });
});

test("plain HTTP and an untrusted certificate do not connect", async () => {
  await using gateway = await open();
  const { url } = gateway;
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  await expect(fetch(url.replace("https", "http"))).rejects.toThrow("fetch failed");
  // The gateway still answers.
  const session = connectHttp2(url, { ca });
  expect((await ask(session, { ":path": "/api/sessions" })).status).toBe(401);
  session.destroy();
});

test("uses a changed certificate for new connections, and keeps the open ones", async () => {
  await using gateway = await open({ certificateCheckMs: 10 });
  const { url, token, port } = gateway;
  const before = connectHttp2(url, { ca });
  const listed = () => ask(before, { ":path": "/api/sessions", authorization: `Bearer ${token}` });
  expect((await listed()).status).toBe(200);
  const own = { cert: await readFile(files.cert), key: await readFile(files.key) };
  try {
    // Files that can't be used change nothing.
    await writeFile(files.cert, "nonsense");
    expect(await subject(port)).toBe("test");
    const next = await makeCertificate(folder, "next");
    await copyFile(next.key, files.key);
    await copyFile(next.cert, files.cert);
    while ((await subject(port)) !== "next");
    expect((await listed()).status).toBe(200);
  } finally {
    before.destroy();
    await writeFile(files.cert, own.cert);
    await writeFile(files.key, own.key);
  }
});

/** The name in the certificate that a new connection is shown. */
async function subject(port: number): Promise<string> {
  const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject: shown } = socket.getPeerCertificate();
  socket.destroy();
  return String(shown.CN);
}

test("says what is wrong with the files", async () => {
  const other = await makeCertificate(folder, "other");
  const missing = join(folder, "missing.pem");
  const start = (certificate: { cert: string; key: string }) =>
    ScriptedGateway.open({}, {}, { certificate });
  await expect(start({ cert: missing, key: files.key })).rejects.toThrow("there is no such file");
  await expect(start({ cert: files.key, key: files.key })).rejects.toThrow("not a certificate");
  await expect(start({ cert: files.cert, key: other.key })).rejects.toThrow(
    "no usable private key",
  );
});
