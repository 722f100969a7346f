import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona, scriptedAgentCommand, type WireMessage } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { modes } from "../sessions/agent-options.ts";
import { ScriptedGateway, Watcher } from "../sessions/scripted-gateway.ts";

const commands = [{ name: "plan", description: "Make a plan", input: { hint: "what for" } }];

const scenario = {
  initialize: {
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
    },
  },
  session: { modes, commands },
  turns: [
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
    {
      match: "write",
      steps: [
        { think: "A file has to be written." },
        { tool: { toolCallId: "w1", title: "Write notes.md", kind: "edit", status: "pending" } },
        {
          permission: {
            toolCall: { toolCallId: "w1", title: "Write notes.md" },
            on: {
              allow: [{ toolUpdate: { toolCallId: "w1", status: "completed" } }],
              reject: [{ toolUpdate: { toolCallId: "w1", status: "failed" } }],
            },
          },
        },
        { say: "Done." },
      ],
    },
    {
      match: "ask",
      steps: [
        {
          ask: {
            message: "Which?",
            requestedSchema: {
              type: "object",
              properties: { name: { type: "string", title: "Name" } },
            },
          },
        },
        { say: "Thanks." },
      ],
    },
    { match: "wait", steps: [{ say: "Waiting." }, { wait: 600_000 }] },
    { match: "fail", steps: [], end: { error: { code: -32603, message: "The model is out" } } },
  ],
};

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

/** The same client, of the agent itself. */
async function connectDirectly(
  gateway: ScriptedGateway,
  persona: Persona,
): Promise<AsyncDisposable> {
  const file = path.join(gateway.folder, "agent.json");
  const state = path.join(gateway.folder, "direct-state");
  const { command, args } = scriptedAgentCommand(file, { state });
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "close");
  persona.connectProgram(child);
  await persona.initialize();
  return {
    [Symbol.asyncDispose]: async () => {
      await persona[Symbol.asyncDispose]();
      child.kill();
      await ended;
    },
  };
}

/** The messages of the agent's side, without ids, `_meta` and the gateway's own capabilities. */
function sent(messages: readonly WireMessage[]): unknown[] {
  const ids = new Map<string, string>();
  const plain = (key: string, value: unknown): unknown => {
    if (key === "_meta" || key === "id") return undefined;
    if (key !== "sessionId" || typeof value !== "string") return value;
    if (!ids.has(value)) ids.set(value, `session ${ids.size + 1}`);
    return ids.get(value);
  };
  return messages
    .filter(({ from, message }) => from === "agent" && !isInitialize(message))
    .map(({ message }) => JSON.parse(JSON.stringify(message, plain)) as unknown);
}

function isInitialize({ result }: WireMessage["message"]): boolean {
  return typeof result === "object" && result !== null && "protocolVersion" in result;
}

type Story = (persona: Persona, cwd: string) => Promise<void>;

const stories: Readonly<Record<string, Story>> = {
  "a turn": async (persona, cwd) => {
    const { sessionId } = await persona.open(cwd);
    await persona.wire.until(hasCommands);
    await persona.prompt(sessionId, "hello");
  },
  "a tool call that is allowed": async (persona, cwd) => {
    persona.answerPermission = () => "allow";
    const { sessionId } = await persona.open(cwd);
    await persona.wire.until(hasCommands);
    await persona.prompt(sessionId, "write");
  },
  "a tool call that is rejected": async (persona, cwd) => {
    persona.answerPermission = () => "reject";
    const { sessionId } = await persona.open(cwd);
    await persona.wire.until(hasCommands);
    await persona.prompt(sessionId, "write");
  },
  "a question": async (persona, cwd) => {
    const { sessionId } = await persona.open(cwd);
    await persona.wire.until(hasCommands);
    await persona.prompt(sessionId, "ask");
  },
  "a cancelled turn": async (persona, cwd) => {
    const { sessionId } = await persona.open(cwd);
    await persona.wire.until(hasCommands);
    const ended = persona.prompt(sessionId, "wait");
    await persona.wire.until((message) => JSON.stringify(message).includes("Waiting."));
    await persona.cancel(sessionId);
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
  },
  "two sessions": async (persona, cwd) => {
    const first = await persona.open(cwd);
    await persona.prompt(first.sessionId, "hello");
    const second = await persona.open(cwd);
    await persona.prompt(second.sessionId, "hello");
  },
};

const hasCommands = (message: WireMessage["message"]) =>
  JSON.stringify(message).includes("available_commands_update");

describe.each(transports)(
  "over %s, a client sees what it would see of the agent itself",
  (transport) => {
    test.each(Object.entries(stories))("%s", async (_, story) => {
      await using gateway = await ScriptedGateway.open({ agent: scenario });
      const direct = new Persona("full");
      await using _agent = await connectDirectly(gateway, direct);
      await story(direct, gateway.project);
      await using through = await connect(gateway, new Persona("full"), transport);
      await story(through, gateway.project);
      expect(sent(through.wire.messages)).toEqual(sent(direct.wire.messages));
      expect(through.wire.faults()).toEqual([]);
    });
  },
);

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
    expect(await next.load(sessionId, gateway.project)).toMatchObject({ modes });
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
