import { once } from "node:events";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { comparedAgent as scenario, Persona, type WireMessage } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, Watcher } from "../sessions/scripted-gateway.ts";

const transports = ["WebSocket", "HTTP"] as const;

/** One client of the gateway at `/acp`. */
async function connect(
  gateway: ScriptedGateway,
  persona = new Persona("full"),
  transport: (typeof transports)[number] = "WebSocket",
): Promise<Persona> {
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  const address = `${url}/acp?agent=agent`;
  persona.connect(
    transport === "HTTP"
      ? createHttpStream(address, { headers })
      : createWebSocketStream(address.replace("http", "ws"), { headers, WebSocket }),
  );
  await persona.initialize();
  return persona;
}

describe.each(transports)("several clients on one session over %s", (transport) => {
  test("see each other's prompts, and the first answer to a permission request counts", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using editor = await connect(gateway, never(), transport);
    await using phone = await connect(gateway, never(), transport);
    const { sessionId } = await editor.open(gateway.project);
    await phone.agent.request("session/resume", {
      sessionId,
      cwd: gateway.project,
      mcpServers: [],
    });
    const ended = editor.prompt(sessionId, "write");
    const asks = ({ method }: WireMessage["message"]) => method === "session/request_permission";
    await editor.wire.until(asks);
    await phone.wire.until(asks);
    expect(phone.wire.updates(sessionId)).toContainEqual({
      sessionUpdate: "user_message_chunk",
      content: { type: "text", text: "write" },
    });
    const session = await gateway.sessions.get(sessionId);
    using watcher = new Watcher(session);
    const { askId } = await watcher.until("ask-opened");
    await session.answer(askId, { outcome: "selected", optionId: "allow" }, "browser");
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    const isCancelled = ({ method }: WireMessage["message"]) => method === "$/cancel_request";
    await editor.wire.until(isCancelled);
    await phone.wire.until(isCancelled);
    await phone.wire.until((message) => JSON.stringify(message).includes('"Done."'));
  });

  test("a turn continues when the editor disconnects, and session/load replays it", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway, never(), transport);
    const { sessionId } = await editor.open(gateway.project);
    const prompted = editor.prompt(sessionId, "write").catch(() => null);
    await editor.wire.until(({ method }) => method === "session/request_permission");
    await editor[Symbol.asyncDispose]();
    await prompted;
    await using next = await connect(gateway, new Persona("full"), transport);
    next.answerPermission = () => "allow";
    expect(await next.load(sessionId, gateway.project)).toMatchObject({
      modes: scenario.session.modes,
    });
    await next.wire.until((message) => JSON.stringify(message).includes('"Done."'));
    const kinds = next.wire.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds).toEqual([
      "user_message_chunk",
      "agent_thought_chunk",
      "tool_call",
      "available_commands_update",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(next.wire.faults()).toEqual([]);
  });
});

test("invalid messages are answered with their id, and no error repeats the input", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario }, {}, { profile: "spec" });
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/acp?agent=agent`, { headers });
  await once(socket, "open");
  const answers: Record<string, unknown>[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    answers.push(JSON.parse((data as Buffer).toString()) as Record<string, unknown>);
    if (answers.length === 7) resolve();
  });
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  const rpc = { jsonrpc: "2.0" };
  const initialize = { protocolVersion: 1, clientCapabilities: {} };
  send({ ...rpc, id: 0, method: "initialize", params: initialize });
  await once(socket, "message");
  send({ ...rpc, id: 40 });
  socket.send("marker");
  send("marker");
  send({ ...rpc, id: 1, method: "marker", params: {} });
  send({ ...rpc, id: 2, method: "session/set_mode", params: { sessionId: 5, modeId: "marker" } });
  send({ ...rpc, id: 3, method: "session/prompt", params: { sessionId: "gone", prompt: [] } });
  await promise;
  socket.terminate();
  const codeOf = ({ error }: Record<string, unknown>) => (error as { code: number }).code;
  const seen = new Map(
    answers.slice(1).map((answer) => [`${String(answer["id"])} ${codeOf(answer)}`, 1]),
  );
  expect([...seen.keys()].toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
    "1 -32601",
    "2 -32602",
    "3 -31900",
    "40 -32600",
    "null -32600",
    "null -32700",
  ]);
  expect(JSON.stringify(answers)).not.toContain("marker");
});

function never(): Persona {
  return new Persona("full", { permission: "never" });
}

test("a watch token starts no agent through /acp", async () => {
  await using gateway = await ScriptedGateway.open({ agent: scenario });
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "watcher", role: "watch" });
  const made = await fetch(`${url}/api/devices`, { method: "POST", headers, body });
  const { token: watch } = (await made.json()) as { readonly token: string };
  await using persona = new Persona("full");
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${watch}` },
      WebSocket,
    }),
  );
  await expect(persona.initialize()).rejects.toThrow("may only watch");
});
