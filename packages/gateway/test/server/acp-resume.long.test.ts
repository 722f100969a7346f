import { once } from "node:events";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona, type WireMessage } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, Watcher } from "../sessions/scripted-gateway.ts";

const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };

const scenario = {
  session: { commands: [{ name: "plan", description: "Make a plan" }] },
  turns: [
    {
      match: "hello",
      steps: [{ say: "Hello " }, { say: "yourself." }],
      end: { stopReason: "end_turn", usage },
    },
    {
      match: "write",
      steps: [
        { think: "A file has to be written." },
        { tool: { toolCallId: "w1", title: "Write", kind: "edit", status: "pending" } },
        {
          permission: {
            toolCall: { toolCallId: "w1", title: "Write" },
            on: { allow: [{ toolUpdate: { toolCallId: "w1", status: "completed" } }] },
          },
        },
        { say: "Done." },
      ],
    },
    {
      match: "update",
      steps: [
        {
          permission: {
            toolCall: {
              toolCallId: "u1",
              title: "Update",
              rawInput: { id: 1, kind: "update", force: true },
            },
            on: { allow: [{ say: "Updated." }] },
          },
        },
      ],
    },
    { match: "fail", steps: [], end: { error: { code: -32603, message: "The model is out" } } },
  ],
};

async function connect(gateway: ScriptedGateway, persona = new Persona("full")): Promise<Persona> {
  const { url, token } = gateway;
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${token}` },
      WebSocket,
    }),
  );
  await persona.initialize();
  return persona;
}

/** A client that does not answer permission requests. */
const silent = () => new Persona("full", { permission: "never" });

interface ReceivedUpdate {
  readonly update: unknown;
  readonly cursor: number | undefined;
}

/** The updates of a session with their cursors. */
function received({ wire }: Persona, sessionId: string): ReceivedUpdate[] {
  return wire.messages.flatMap(({ from, message }) => {
    const { method, params } = message as {
      readonly method?: string;
      readonly params?: {
        readonly sessionId: string;
        readonly update: unknown;
        readonly _meta?: Readonly<Record<string, number>>;
      };
    };
    if (from !== "agent" || method !== "session/update" || params?.sessionId !== sessionId)
      return [];
    return [{ update: params.update, cursor: params._meta?.["acp/cursor"] }];
  });
}

const lastCursor = (persona: Persona, sessionId: string): number =>
  received(persona, sessionId).findLast(({ cursor }) => cursor !== undefined)?.cursor ?? 0;

const asks = ({ method }: WireMessage["message"]) => method === "session/request_permission";

const says =
  (words: string) =>
  (message: WireMessage["message"]): boolean =>
    JSON.stringify(message).includes(words);

function prompt(persona: Persona, sessionId: string, words: string, promptId: string) {
  return persona.agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: words }],
    _meta: { "landline/promptId": promptId },
  });
}

function resume(persona: Persona, sessionId: string, cursor: unknown, promptIds: string[] = []) {
  const _meta = { "landline/promptIds": promptIds };
  return persona.agent.request<{ readonly _meta: unknown }>("stream/resume", {
    sessionId,
    cursor,
    _meta,
  });
}

describe("stream/resume", () => {
  test("continues after every cursor, even after a restart of the gateway", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway);
    editor.answerPermission = () => "allow";
    await using phone = await connect(gateway);
    const { sessionId } = await editor.open(gateway.project);
    await editor.wire.until(says("available_commands_update"));
    const cwd = gateway.project;
    await phone.agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
    await prompt(editor, sessionId, "write", "p1");
    // Several blocks in one prompt are several updates of one event.
    await phone.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "hello" },
        { type: "text", text: " and again" },
      ],
    });
    await prompt(editor, sessionId, "hello", "p2");
    const all = received(editor, sessionId);
    const first = all.find(({ update }) => JSON.stringify(update).includes('"hello"'));
    expect(first).toMatchObject({ update: { sessionUpdate: "user_message_chunk" } });
    expect(first?.cursor).toBeUndefined();
    await editor[Symbol.asyncDispose]();
    await phone[Symbol.asyncDispose]();
    await gateway.restart();
    await using again = await connect(gateway);
    let compared = 0;
    for (const [index, { cursor }] of all.entries()) {
      if (cursor === undefined) continue;
      const before = received(again, sessionId).length;
      const state = { "acp/turnState": "idle", "acp/cursor": expect.any(Number) };
      expect(await resume(again, sessionId, cursor, ["p1", "p2"])).toMatchObject({ _meta: state });
      expect(received(again, sessionId).slice(before)).toEqual(all.slice(index + 1));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(8);
  });

  test("sends open permission requests again, with the same ask id", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway, silent());
    const { sessionId } = await editor.open(gateway.project);
    const prompted = prompt(editor, sessionId, "write", "p1").catch(() => null);
    const asked = await editor.wire.until(asks);
    const cursor = lastCursor(editor, sessionId);
    await editor[Symbol.asyncDispose]();
    await prompted;
    await using next = await connect(gateway);
    next.answerPermission = () => "allow";
    expect(await resume(next, sessionId, cursor, ["p1"])).toMatchObject({
      _meta: { "acp/turnState": "requires_action" },
    });
    const again = await next.wire.until(asks);
    const askOf = ({ params }: WireMessage["message"]) => (params as { _meta: unknown })._meta;
    expect(askOf(again)).toEqual(askOf(asked));
    await next.wire.until(says('"Done."'));
    expect(next.wire.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "tool_call_update",
      "agent_message_chunk",
    ]);
  });

  test("sends an open request again whose fields look like those of an update", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway, silent());
    const { sessionId } = await editor.open(gateway.project);
    const prompted = prompt(editor, sessionId, "update", "p1").catch(() => null);
    await editor.wire.until(asks);
    const { head } = await (await gateway.sessions.get(sessionId)).view();
    await editor[Symbol.asyncDispose]();
    await prompted;
    await using next = await connect(gateway);
    next.answerPermission = () => "allow";
    expect(await resume(next, sessionId, head)).toMatchObject({
      _meta: { "acp/turnState": "requires_action" },
    });
    await next.wire.until(says('"Updated."'));
  });

  test("session/resume with a cursor does the same", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway);
    const { sessionId } = await editor.open(gateway.project);
    await editor.wire.until(says("available_commands_update"));
    const cursor = lastCursor(editor, sessionId);
    await editor.prompt(sessionId, "hello");
    await editor[Symbol.asyncDispose]();
    await using next = await connect(gateway);
    await next.agent.request("session/resume", {
      sessionId,
      cwd: gateway.project,
      mcpServers: [],
      _meta: { "acp/cursor": String(cursor) },
    });
    expect(next.wire.updates(sessionId)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "hello" } },
      { content: { text: "Hello " } },
      { content: { text: "yourself." } },
    ]);
  });

  test("session/load with a cursor replays the rest of the history", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using editor = await connect(gateway);
    const { sessionId } = await editor.open(gateway.project);
    await editor.prompt(sessionId, "hello");
    await using next = await connect(gateway);
    await next.agent.request("session/load", {
      sessionId,
      cwd: gateway.project,
      mcpServers: [],
      _meta: { "acp/cursor": lastCursor(editor, sessionId) - 1 },
    });
    expect(next.wire.updates(sessionId)[0]).toMatchObject({ content: { text: "yourself." } });
  });

  test("refuses cursors that it cannot serve", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using editor = await connect(gateway);
    const { sessionId } = await editor.open(gateway.project);
    const refusal = (cursor: unknown, of = sessionId) =>
      resume(editor, of, cursor).then(
        () => null,
        (error: { readonly data?: { readonly reason?: string } }) => error.data?.reason,
      );
    expect(await refusal(1_000_000)).toBe("cursor-ahead");
    expect(await refusal(-1)).toBe("invalid-params");
    expect(await refusal(1.5)).toBe("invalid-params");
    expect(await refusal("yesterday")).toBe("invalid-params");
    expect(await refusal(undefined)).toBe("invalid-params");
    expect(await refusal(0, "nobody")).toBe("session-not-found");
    await editor.agent.request("session/delete", { sessionId });
    expect(await refusal(0)).toBe("session-expired");
    await editor.agent.notify("stream/resume", { sessionId, cursor: 0 });
    const failed = await editor.wire.until(({ method }) => method === "stream/resume_failed");
    expect(failed).toMatchObject({
      params: { sessionId, cursor: 0, error: { data: { reason: "session-expired" } } },
    });
  });
});

describe("a repeated prompt", () => {
  test("is answered with the end of its turn and runs once", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    const editor = await connect(gateway);
    const { sessionId } = await editor.open(gateway.project);
    const first = await prompt(editor, sessionId, "hello", "p1");
    expect(first).toMatchObject({ stopReason: "end_turn", usage });
    const failed = await prompt(editor, sessionId, "fail", "p2").catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: "The model is out" });
    await editor[Symbol.asyncDispose]();
    await gateway.restart();
    await using next = await connect(gateway);
    expect(await prompt(next, sessionId, "hello", "p1")).toEqual(first);
    const again = await prompt(next, sessionId, "fail", "p2").catch((error: unknown) => error);
    expect(again).toMatchObject({ message: "The model is out" });
    using watcher = new Watcher(await gateway.sessions.get(sessionId));
    await prompt(next, sessionId, "hello", "p3");
    expect(watcher.kinds.filter((kind) => kind === "turn-started")).toHaveLength(3);
  });

  test("is answered by both connections while its turn runs", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using editor = await connect(gateway, silent());
    const { sessionId } = await editor.open(gateway.project);
    const first = prompt(editor, sessionId, "write", "p1");
    await editor.wire.until(asks);
    await using other = await connect(gateway);
    other.answerPermission = () => "allow";
    const second = prompt(other, sessionId, "write", "p1");
    expect(await first).toMatchObject({ stopReason: "end_turn" });
    expect(await second).toEqual(await first);
  });
});

test("$/cancel_request right after a prompt cancels it", async () => {
  const turns = [{ match: "wait", steps: [], end: "never" }];
  await using gateway = await ScriptedGateway.open({ agent: { turns } });
  const { url, token } = gateway;
  const socket = new WebSocket(`${url.replace("http", "ws")}/acp?agent=agent`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await once(socket, "open");
  const response = async (id: number) => {
    for (;;) {
      const [data] = (await once(socket, "message")) as [Buffer];
      const message = JSON.parse(data.toString()) as { readonly id?: number; result: object };
      if (message.id === id) return message.result;
    }
  };
  const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
  await response(1);
  send({ id: 2, method: "session/new", params: { cwd: gateway.project, mcpServers: [] } });
  const { sessionId } = (await response(2)) as { readonly sessionId: string };
  const content = [{ type: "text", text: "wait" }];
  send({ id: 3, method: "session/prompt", params: { sessionId, prompt: content } });
  send({ method: "$/cancel_request", params: { requestId: 3 } });
  expect(await response(3)).toMatchObject({ stopReason: "cancelled" });
  socket.terminate();
});
