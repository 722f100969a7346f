import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogFields } from "../../src/telemetry/logger.ts";
import { openTestDoors, type TestDoors } from "./door-services.ts";
import { WebSocket } from "ws";
import { TestClient } from "./socket-world.ts";

let doors: TestDoors;
beforeEach(async () => {
  doors = await openTestDoors();
});
afterEach(() => doors[Symbol.asyncDispose]());

function told(what: "request" | "command"): LogFields[] {
  return doors.logged.flatMap(([level, message, fields]) =>
    message === what && level === "info" ? [fields ?? {}] : [],
  );
}

const client = () => doors.tokens.list()[0]!.id;

test("a request is one line: what, how it ended, who, and the session", async () => {
  const body = { agent: "scripted", cwd: "/repo" };
  const opened = await doors.ask("/api/sessions", { method: "POST", body });
  const { sessionId } = (await opened.json()) as { sessionId: string };
  const looked = await doors.ask(`/api/sessions/${sessionId}/trace?limit=7`);
  const requestId = looked.headers.get("x-request-id");
  expect(told("request")).toEqual([
    {
      requestId: opened.headers.get("x-request-id"),
      method: "POST",
      path: "/api/sessions",
      status: 201,
      tookMs: expect.any(Number),
      client: client(),
      sessionId,
    },
    {
      requestId,
      method: "GET",
      path: `/api/sessions/${sessionId}/trace`,
      status: 200,
      tookMs: expect.any(Number),
      client: client(),
      sessionId,
    },
  ]);
  expect(requestId).toMatch(/^[\w-]{36}$/);
});

test("a refused one says why, and never the token or the query", async () => {
  await doors.ask("/api/sessions/none");
  await doors.ask("/api/agents?token=wrong-token", {
    headers: { authorization: "Bearer no-such" },
  });
  await doors.ask(`/${"long".repeat(1_000)}`);
  expect(told("request")).toMatchObject([
    { path: "/api/sessions/none", status: 404, code: "session-not-found", sessionId: "none" },
    { path: "/api/agents", status: 401, code: "unauthorized" },
    { path: expect.stringMatching(/^.{300}$/), status: 404 },
  ]);
  const all = JSON.stringify(doors.logged);
  for (const secret of [doors.token, "wrong-token", "no-such"]) expect(all).not.toContain(secret);
});

async function connected(protocol: string, token = doors.token): Promise<TestClient> {
  const { port } = await doors.doors.listen({ host: "127.0.0.1", port: 0 });
  const address = `ws://127.0.0.1:${port}/ws?token=${token}`;
  return new TestClient(new WebSocket(address, [protocol]));
}

test("a command of landline.v1 is one line, whatever becomes of it", async () => {
  const socket = await connected("landline.v1");
  await socket.opened;
  const opened = await socket.ask("open", { agent: "scripted", cwd: "/repo" });
  const { sessionId } = opened["result"] as { sessionId: string };
  await socket.ask("attach", { sessionId });
  await socket.ask("cancel", { sessionId: "none" });
  await socket.ask("fly", { sessionId });
  const same = { door: "landline.v1", client: client(), tookMs: expect.any(Number) };
  expect(told("command")).toMatchObject([
    { ...same, type: "open", id: 1, sessionId, outcome: "ok" },
    { ...same, type: "attach", id: 2, sessionId, outcome: "ok" },
    { ...same, type: "cancel", id: 3, sessionId: "none", outcome: "session-not-found" },
    { ...same, type: "fly", id: 4, sessionId, outcome: expect.not.stringMatching("ok") },
  ]);
  expect(told("request")).toMatchObject([{ path: "/ws", status: 101, client: client() }]);
  expect(JSON.stringify(doors.logged)).not.toContain(doors.token);
  socket.socket.terminate();
});

test("a message of a bridge is one line too", async () => {
  const socket = await connected("bridge.v1");
  await socket.opened;
  const session = await doors.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
  socket.send({ type: "load_session", sessionId: session.id });
  await socket.until(({ type }) => type === "session_ready");
  socket.send({ type: "cancel_turn", sessionId: "none" });
  await socket.until(({ type }) => type === "error");
  expect(told("command")).toMatchObject([
    { door: "bridge.v1", type: "attach", sessionId: session.id, outcome: "ok" },
    { door: "bridge.v1", type: "cancel_turn", sessionId: "none", outcome: "session-not-found" },
  ]);
  socket.socket.terminate();
});

test("a refused upgrade is told like a request", async () => {
  const socket = await connected("landline.v1", "wrong-token");
  await expect(socket.opened).rejects.toThrow("401");
  expect(told("request")).toMatchObject([{ path: "/ws", status: 401, code: "unauthorized" }]);
  expect(JSON.stringify(doors.logged)).not.toContain("wrong-token");
});
