import { once } from "node:events";
import type { SessionSummary } from "@landline/protocol";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, turn, Watcher } from "../sessions/scripted-gateway.ts";
import { SseClient } from "./sse-client.ts";

/** As with durability disk, while the log is on the disk up to there. */
function showUpTo(session: Session, visible: number): void {
  Object.defineProperty(session.log, "visible", { get: () => visible });
}

/** The frames that answer one message. */
async function framesFor(
  gateway: ScriptedGateway,
  { protocol, message, until }: { protocol: string; message: object; until: string },
): Promise<Record<string, unknown>[]> {
  const url = gateway.url.replace(/^http/, "ws");
  const socket = new WebSocket(`${url}/ws?token=${gateway.token}`, [protocol]);
  const frames: Record<string, unknown>[] = [];
  const done = Promise.withResolvers<void>();
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Record<string, unknown>;
    frames.push(frame);
    if (frame["type"] === until) done.resolve();
  });
  await once(socket, "open");
  socket.send(JSON.stringify(message));
  await done.promise;
  socket.terminate();
  return frames;
}

test("no transport sends events that are written but not yet visible", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: { turns: [{ steps: [{ say: "Hello." }] }] },
  });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  const shown = 3;
  expect(session.log.visible).toBeGreaterThan(shown);
  showUpTo(session, shown);

  const authorization = `Bearer ${gateway.token}`;
  const get = async (address: string) => {
    const headers = { authorization, accept: "application/json" };
    return (await fetch(`${gateway.url}${address}`, { headers })).json();
  };
  const address = `/api/sessions/${session.id}`;
  const { sessions } = (await get("/api/sessions")) as { sessions: SessionSummary[] };
  expect(sessions[0]?.head).toBe(shown);
  expect(await get(address)).toMatchObject({ head: shown, view: { head: shown } });
  for (const query of ["", "?before=100", "?limit=1"])
    expect(await get(`${address}/events${query}`)).toMatchObject({ head: shown });
  expect(await get(`${address}/events?after=${shown + 1}`)).toMatchObject({
    code: "cursor-ahead",
    head: shown,
  });

  const { port } = gateway;
  const stream = new SseClient(port, `${address}/events?after=${shown + 1}`, { authorization });
  await stream.until(() => stream.events.length > shown);
  expect(JSON.parse(stream.events[0]?.data ?? "")).toMatchObject({ type: "gap", head: shown });
  stream.close();

  const attach = { id: 1, type: "attach", sessionId: session.id };
  const landline = { protocol: "landline.v1", until: "reply" };
  const attached = await framesFor(gateway, { ...landline, message: attach });
  expect(attached.find(({ type }) => type === "attached")).toMatchObject({ head: shown });
  expect(attached.at(-1)).toMatchObject({ result: { head: shown } });
  const ahead = await framesFor(gateway, { ...landline, message: { ...attach, after: shown + 1 } });
  expect(ahead.find(({ type }) => type === "gap")).toMatchObject({ head: shown });
  expect(ahead.at(-1)).toMatchObject({ error: { code: "cursor-ahead", head: shown } });

  const load = { type: "load_session", sessionId: session.id, after: shown + 1 };
  const refused = await framesFor(gateway, {
    protocol: "bridge.v1",
    message: load,
    until: "error",
  });
  expect(refused.at(-1)).toMatchObject({ code: "cursor-ahead", head: shown });
});

test("lists show written events only once they are visible", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} }, {}, { durability: "disk" });
  const session = await gateway.openSession("agent", { title: "Before" });
  const { sessions } = gateway;
  const titles: unknown[] = [];
  using _watching = sessions.watch((change) => {
    if ("title" in change) titles.push(change.title);
  });
  const renamed = session.rename("After", "tester");
  expect(session.summary.title).toBe("Before");
  expect(titles).not.toContain("After");
  await renamed;
  expect(session.summary.title).toBe("After");
  expect(titles.filter((title) => title === "After")).toHaveLength(1);
});
