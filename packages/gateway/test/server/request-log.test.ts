import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayProcess } from "../kill/gateway-process.ts";
import { TestClient } from "./socket-client.ts";

let gateway: GatewayProcess;
/** The start of the current test in the log. */
let start: number;
beforeAll(async () => {
  gateway = await GatewayProcess.make({ scripted: { turns: [{ steps: [] }] } }, { logHeldMs: 1 });
  await gateway.start();
});
beforeEach(() => {
  start = gateway.stderr.length;
});
afterAll(() => gateway[Symbol.asyncDispose]());

type Line = Readonly<Record<string, unknown>>;

function linesOf(stderr: string, what: "request" | "command"): Line[] {
  const lines = stderr.slice(start).split("\n").slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ level, message }) => level === "info" && message === what);
}

/** The lines of requests or commands, once there are so many. */
async function told(what: "request" | "command", count: number): Promise<Line[]> {
  await gateway.untilStderr((stderr) => linesOf(stderr, what).length >= count);
  return linesOf(gateway.stderr, what);
}

const client = "environment";
const wanted = () => ({ agent: "scripted", cwd: gateway.project });

test("logs a request as one line with its operation, outcome, client and session", async () => {
  const opened = await gateway.call("POST", "/api/sessions", wanted());
  const { sessionId } = (await opened.json()) as { sessionId: string };
  const looked = await gateway.call("GET", `/api/sessions/${sessionId}/trace?limit=7`);
  const requestId = looked.headers.get("x-request-id");
  const same = { client, sessionId, tookMs: expect.any(Number) as number };
  expect(await told("request", 2)).toMatchObject([
    {
      ...same,
      requestId: opened.headers.get("x-request-id"),
      method: "POST",
      path: "/api/sessions",
      status: 201,
    },
    { ...same, requestId, method: "GET", path: `/api/sessions/${sessionId}/trace`, status: 200 },
  ]);
  expect(requestId).toMatch(/^[\w-]{36}$/);
});

test("logs the reason of a refused request, without the token and the query", async () => {
  await gateway.call("GET", "/api/sessions/none");
  await fetch(`http://127.0.0.1:${gateway.network.target}/api/agents?token=wrong-token`, {
    headers: { authorization: "Bearer no-such" },
  });
  await gateway.call("GET", `/${"long".repeat(1_000)}`);
  expect(await told("request", 3)).toMatchObject([
    { path: "/api/sessions/none", status: 404, code: "session-not-found", sessionId: "none" },
    { path: "/api/agents", status: 401, code: "unauthorized" },
    { path: expect.stringMatching(/^.{300}$/) as string, status: 404 },
  ]);
  for (const secret of [gateway.token, "wrong-token", "no-such"])
    expect(gateway.stderr).not.toContain(secret);
});

function connecting(protocol: string, token = gateway.token): TestClient {
  const address = `ws://127.0.0.1:${gateway.network.target}/ws?token=${token}`;
  return new TestClient(new WebSocket(address, [protocol]));
}

test("logs a command of landline.v1 as one line, with any outcome", async () => {
  const socket = connecting("landline.v1");
  await socket.opened;
  const opened = await socket.ask("open", wanted());
  const { sessionId } = opened["result"] as { sessionId: string };
  await socket.ask("attach", { sessionId });
  await socket.ask("cancel", { sessionId: "none" });
  await socket.ask("fly", { sessionId });
  const same = { dialect: "landline.v1", client, tookMs: expect.any(Number) as number };
  expect(await told("command", 4)).toMatchObject([
    { ...same, type: "open", id: 1, sessionId, outcome: "ok" },
    { ...same, type: "attach", id: 2, sessionId, outcome: "ok" },
    { ...same, type: "cancel", id: 3, sessionId: "none", outcome: "session-not-found" },
    { ...same, type: "fly", id: 4, sessionId, outcome: expect.not.stringMatching("ok") as string },
  ]);
  expect(await told("request", 1)).toMatchObject([{ path: "/ws", status: 101, client }]);
  expect(gateway.stderr).not.toContain(gateway.token);
  socket.leave();
});

test("logs a message of bridge.v1 as one line", async () => {
  const sessionId = await gateway.openSession("scripted");
  const socket = connecting("bridge.v1");
  await socket.opened;
  socket.send({ type: "load_session", sessionId });
  await socket.until(({ type }) => type === "session_ready");
  socket.send({ type: "cancel_turn", sessionId: "none" });
  await socket.until(({ type }) => type === "error");
  expect(await told("command", 2)).toMatchObject([
    { dialect: "bridge.v1", type: "attach", sessionId, outcome: "ok" },
    { dialect: "bridge.v1", type: "cancel_turn", sessionId: "none", outcome: "session-not-found" },
  ]);
  socket.leave();
});

test("logs a refused upgrade like a request", async () => {
  await expect(connecting("landline.v1", "wrong-token").opened).rejects.toThrow("401");
  expect(await told("request", 1)).toMatchObject([
    { path: "/ws", status: 401, code: "unauthorized" },
  ]);
  expect(gateway.stderr).not.toContain("wrong-token");
});
