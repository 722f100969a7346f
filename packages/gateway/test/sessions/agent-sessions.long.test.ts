import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import { Readable, Writable } from "node:stream";
import { methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona, scriptedAgentCommand } from "@landline/testing";
import { describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";

const capabilities = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
};
const scenario = {
  initialize: { agentCapabilities: capabilities },
  turns: [{ steps: [{ say: "You said: {{prompt}}" }] }],
};

/** Uses the agent without a gateway, as its own terminal program would, and returns its session. */
async function talkDirectly(gateway: ScriptedGateway, words: string): Promise<string> {
  const state = path.join(gateway.folder, "agent-state");
  const { command, args } = scriptedAgentCommand(path.join(gateway.folder, "agent.json"), {
    state,
  });
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "close");
  const persona = new Persona("full");
  persona.connect(
    ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    ),
  );
  await persona.initialize();
  const { sessionId } = await persona.open(gateway.project);
  await persona.prompt(sessionId, words);
  await persona[Symbol.asyncDispose]();
  child.kill();
  await ended;
  return sessionId;
}

async function get(gateway: ScriptedGateway, route: string): Promise<unknown> {
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}${route}`, { headers })).json();
}

async function listed(gateway: ScriptedGateway): Promise<readonly unknown[]> {
  const { sessions } = (await get(gateway, "/api/agents/agent/sessions")) as {
    sessions: unknown[];
  };
  return sessions;
}

describe("sessions that an agent stores itself", () => {
  test("are listed, and continued here with their history", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const agentSessionId = await talkDirectly(gateway, "before");
    expect(await listed(gateway)).toMatchObject([
      { agentSessionId, sessionId: null, cwd: gateway.project },
    ]);
    const request = { agent: "agent", cwd: gateway.project, agentSessionId, by: "tester" };
    const session = await gateway.sessions.open(request);
    using watcher = new Watcher(session);
    await turn(session, watcher, "after");
    expect(watcher.said).toBe("You said: beforeYou said: after");
    const words = watcher.events.flatMap((event) =>
      event.kind === "update" && event.update["sessionUpdate"] === "user_message_chunk"
        ? [event.update["content"]]
        : [],
    );
    expect(words).toMatchObject([{ text: "before" }]);
    // The same again is the same session, and the list names it.
    expect((await gateway.sessions.open(request)).id).toBe(session.id);
    expect(await listed(gateway)).toMatchObject([{ agentSessionId, sessionId: session.id }]);
  });

  test("are not listed by one agent more than the limit allows", async () => {
    const toolCall = { toolCallId: "c", title: "rm" };
    const turns = [{ steps: [{ permission: { toolCall } }] }];
    await using gateway = await ScriptedGateway.open(
      { agent: { ...scenario, turns } },
      { agentsRunning: 1 },
    );
    const session = await gateway.openSession("agent");
    using watcher = new Watcher(session);
    await session.prompt("p1", text("go"), "tester");
    await watcher.until("ask-opened");
    expect(await get(gateway, "/api/agents/agent/sessions")).toMatchObject({ code: "agent-busy" });
    await session.cancel("tester");
    await watcher.until("turn-ended");
    // An idle agent makes room for the list.
    expect(await listed(gateway)).toHaveLength(1);
    expect(await watcher.until("agent-exited")).toMatchObject({ because: "room" });
  });

  test("are resumed after a restart like any other, with the history once", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const agentSessionId = await talkDirectly(gateway, "before");
    const request = { agent: "agent", cwd: gateway.project, agentSessionId, by: "tester" };
    const { id } = await gateway.sessions.open(request);
    await gateway.restart();
    const session = await gateway.sessions.get(id);
    using watcher = new Watcher(session);
    await turn(session, watcher, "after");
    expect(watcher.said).toBe("You said: beforeYou said: after");
  });

  test("of this gateway are listed with their id here", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const session = await gateway.openSession("agent");
    expect(await listed(gateway)).toMatchObject([{ sessionId: session.id }]);
  });

  test("have a title that can be passed on and a date, whatever the agent sends", async () => {
    const odd = [
      { cwd: "/", sessionId: "a", title: "", updatedAt: "yesterday" },
      { cwd: "/", sessionId: "b", title: `\u001B two\nlines ${"x".repeat(2_000)}`, updatedAt: 5 },
      { cwd: "/", sessionId: "c", title: 7 },
    ];
    await using gateway = await ScriptedGateway.open({
      agent: { ...scenario, answers: { "session/list": { result: { sessions: odd } } } },
    });
    expect(await listed(gateway)).toMatchObject([
      { title: null, updatedAt: null },
      { title: `two lines ${"x".repeat(990)}`, updatedAt: null },
      { title: null, updatedAt: null },
    ]);
  });

  test("that the agent does not have cannot be continued, and leave nothing", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const request = { agent: "agent", cwd: gateway.project, agentSessionId: "none", by: "tester" };
    await expect(gateway.sessions.open(request)).rejects.toMatchObject({
      code: "session-not-found",
    });
    expect((await gateway.sessions.list({})).sessions).toEqual([]);
  });

  test("are closed and deleted in the agent too, whether it runs or not", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario }, {}, { trace: true });
    const running = await gateway.openSession("agent");
    const closed = await gateway.openSession("agent");
    await closed.close("tester");
    expect(await listed(gateway)).toHaveLength(2);
    const trace = await get(gateway, `/api/sessions/${closed.id}/trace`);
    expect(JSON.stringify(trace)).toContain("session/close");
    await gateway.sessions.delete(running.id, "tester");
    expect(await listed(gateway)).toHaveLength(1);
    await gateway.sessions.delete(closed.id, "tester");
    await vi.waitFor(async () => expect(await listed(gateway)).toEqual([]), {
      timeout: 60_000,
    });
  });
});

test("an ACP client lists them after the sessions of the gateway, and loads one", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  const agentSessionId = await talkDirectly(gateway, "before");
  const here = await gateway.openSession("agent");
  const { url, token } = gateway;
  await using persona = new Persona("full");
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${token}` },
      WebSocket,
    }),
  );
  await persona.initialize();
  const { list } = methods.agent.session;
  const first = await persona.agent.request(list, {});
  expect(first.sessions).toMatchObject([{ sessionId: here.id }]);
  const second = await persona.agent.request(list, { cursor: first.nextCursor ?? null });
  expect(second.sessions).toMatchObject([{ _meta: { "landline/agentSessionId": agentSessionId } }]);
  expect(second.nextCursor ?? null).toBeNull();
  const sessionId = second.sessions[0]?.sessionId ?? "";
  await persona.load(sessionId, gateway.project);
  const said = () => JSON.stringify(persona.wire.messages);
  expect(said()).toContain("You said: before");
  await persona.prompt(sessionId, "after");
  expect(said()).toContain("You said: after");
  expect(persona.wire.faults()).toEqual([]);
  await expect(persona.load("unknown", gateway.project)).rejects.toMatchObject({ code: -32_002 });
});

test("an agent that cannot list its sessions says so", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} });
  expect(await get(gateway, "/api/agents/agent/sessions")).toMatchObject({
    code: "tool-disabled",
  });
});
