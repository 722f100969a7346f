import { operationNames, roles, routeOf, rowOf, type OperationName } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Names } from "../../src/server/tokens.ts";
import type { Frame } from "./socket-client.ts";
import { TestGateway } from "./test-gateway.ts";

let test: TestGateway;
let own: string;
let other: string;
beforeAll(async () => {
  test = await TestGateway.start();
  own = (await test.recorded()).id;
  other = (await test.recorded()).id;
});
afterAll(() => test[Symbol.asyncDispose]());

/** A request for an operation, with a session in every place that can name one. */
async function ask(token: string, name: OperationName, sessionId: string): Promise<Response> {
  const { method, path, query } = routeOf(name);
  const filled = path.replace(":sessionId", sessionId).replaceAll(/:\w+/g, "none");
  const hasSession = rowOf(name).scope.startsWith("session") && !path.includes(":sessionId");
  const parts = [
    ...query,
    ...(hasSession ? [["session", sessionId] as const] : []),
    ...(name === "search" ? [["q", "words"] as const] : []),
  ];
  const search = parts.map(([field, value]) => `${field}=${value}`).join("&");
  return test.ask(`${filled}?${search}`, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    ...(method === "POST" || method === "PATCH" ? { body: {} } : {}),
  });
}

const codeOf = async (answer: Response) =>
  ((await answer.json().catch(() => ({}))) as { code?: string }).code;

const reached = operationNames.filter((name) => rowOf(name).http !== null);
const guarded = reached.filter((name) => rowOf(name).role !== "anyone");

describe("every operation over HTTP", () => {
  const acting = guarded.filter((name) => rowOf(name).role !== "watch");
  it.each(acting)("%s is refused to the roles below its own", async (name) => {
    const below = roles.slice(
      0,
      roles.findIndex((role) => role === rowOf(name).role),
    );
    for (const role of below) {
      const { token } = await test.tokenOf(role);
      expect(await codeOf(await ask(token, name, own))).toBe("forbidden");
    }
  });

  // Only an admin can remove another device, in any session.
  const bySession = guarded.filter((name) => name !== "remove-device");
  it.each(bySession)("%s limits a token of one session to that session", async (name) => {
    const { token } = await test.addToken({ role: "control", session: own });
    const { scope, role } = rowOf(name);
    const [ofOwn = "allowed", ofOther = "allowed"] = await Promise.all([
      ask(token, name, own).then(codeOf),
      ask(token, name, other).then(codeOf),
    ]);
    const isRefused = scope === "gateway" || role === "admin";
    const allowed = expect.not.stringMatching(/^forbidden$/);
    expect([ofOwn, ofOther]).toEqual([
      isRefused ? "forbidden" : allowed,
      scope === "any" ? allowed : "forbidden",
    ]);
  });
});

describe("a token of one session", () => {
  it("lists only that session, and reports its own limit", async () => {
    const { token, id } = await test.addToken({ name: "s", role: "watch", session: own });
    const headers = { authorization: `Bearer ${token}` };
    const json = async (path: string) => (await test.ask(path, { headers })).json();
    expect(await json("/api/sessions")).toMatchObject({ sessions: [{ sessionId: own }] });
    expect(await json("/api/me")).toMatchObject({ session: own, people: { [id]: "s" } });
    expect(await json(`/api/sessions/${other}/export`)).toMatchObject({ code: "forbidden" });
  });

  it("gets the names of devices that may act in that session, and no others", async () => {
    const [limited, peer, owner, watcher, stranger] = await Promise.all([
      test.addToken({ name: "Guest", role: "watch", session: own }),
      test.addToken({ name: "Other guest", role: "watch", session: own }),
      test.addToken({ name: "The gateway’s computer", role: "control" }),
      test.addToken({ name: "Dashboard", role: "watch" }),
      test.addToken({ name: "Stranger", role: "control", session: other }),
    ]);
    const headers = { authorization: `Bearer ${limited.token}` };
    const { people } = (await (await test.ask("/api/me", { headers })).json()) as { people: Names };
    expect(people).toMatchObject({
      [limited.id]: "Guest",
      [peer.id]: "Other guest",
      [owner.id]: "The gateway’s computer",
    });
    expect(people).not.toHaveProperty([watcher.id]);
    expect(people).not.toHaveProperty([stranger.id]);

    const client = await test.connectWith(limited.token);
    await client.ask("attach", { sessionId: own });
    const added = await test.addToken({ name: "Phone", role: "control" });
    const has = (frame: Frame) => added.id in Object(frame["people"]);
    const { people: updated } = await client.until(has);
    expect(updated).toEqual({ ...people, [added.id]: "Phone" });
  });

  it("lists nothing when that session was deleted", async () => {
    const { id: deleted } = await test.open();
    const { token } = await test.addToken({ role: "watch", session: deleted });
    await test.sessions.delete(deleted, "tester");
    const answer = await test.ask("/api/sessions", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toEqual({ sessions: [], nextCursor: null });
  });

  it("follows only that session over WebSocket, and receives no other", async () => {
    const { token } = await test.addToken({ role: "control", session: own });
    const client = await test.connectWith(token);
    expect(await client.ask("attach", { sessionId: own })).toHaveProperty("result");
    for (const [type, fields] of [
      ["attach", { sessionId: other }],
      ["prompt", { sessionId: other, content: "hi" }],
      ["open", { agent: "scripted", cwd: "/repo" }],
      ["fork", { sessionId: own }],
      ["delete", { sessionId: own }],
    ] as const)
      expect(await client.ask(type, fields)).toMatchObject({ error: { code: "forbidden" } });
    await (await test.sessions.get(other)).rename("Other", "tester");
    await (await test.sessions.get(own)).rename("Own", "tester");
    await client.until(({ type }) => type === "sessions");
    expect(JSON.stringify(client.frames)).not.toContain(other);
  });

  it("has no role admin", async () => {
    const body = { name: "s", role: "admin", session: own };
    const refused = await test.ask("/api/devices", { method: "POST", body });
    expect(await refused.json()).toMatchObject({ code: "invalid-params", field: "role" });
  });
});

it("a client can look for features", async () => {
  expect(await (await test.ask("/api/features")).json()).toEqual({
    version: expect.any(String),
    features: expect.arrayContaining(["session-tokens"]),
  });
});
