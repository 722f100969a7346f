import {
  client,
  methods,
  type ClientContext,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, text } from "../sessions/scripted-gateway.ts";

const scenario = {
  session: {
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code" },
      ],
    },
    commands: [{ name: "plan", description: "Make a plan", input: { hint: "what for" } }],
  },
  turns: [
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
    {
      match: "write",
      steps: [
        {
          tool: {
            toolCallId: "w1",
            title: "Write notes.md",
            kind: "edit",
            status: "pending",
            content: [{ type: "diff", path: "/p/notes.md", oldText: "a\nb\n", newText: "a\nc\n" }],
          },
        },
        {
          permission: {
            toolCall: { toolCallId: "w1", title: "Write notes.md" },
            on: { allow: [{ toolUpdate: { toolCallId: "w1", status: "completed" } }] },
          },
        },
        { plan: [{ content: "Step", priority: "high", status: "pending" }] },
        { say: "Done." },
      ],
    },
    { match: "wait", steps: [{ say: "Waiting." }, { wait: 600_000 }] },
    { match: "fail", steps: [], end: { error: { code: -32603, message: "The model is out" } } },
  ],
};

function openGateway(acpV2 = true): Promise<ScriptedGateway> {
  return ScriptedGateway.open({ agent: scenario }, {}, { acpV2 });
}

/** A client of version 2, made with the official SDK, that records what it receives. */
class V2Client implements AsyncDisposable {
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  answerPermission: () => string | Promise<string> = () => "allow";
  readonly #connection;
  #changed = Promise.withResolvers<void>();

  constructor(gateway: ScriptedGateway) {
    const { url, token } = gateway;
    this.#connection = client({ name: "v2" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.permissions.push(params);
        const optionId = await this.answerPermission();
        return { outcome: { outcome: "selected", optionId } };
      })
      .connect(
        createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
          headers: { authorization: `Bearer ${token}` },
          WebSocket,
        }),
      );
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  initialize() {
    return this.agent.request(methods.agent.initialize, {
      protocolVersion: 2,
      info: { name: "v2-client", version: "1.0.0" },
    });
  }

  prompt(sessionId: string, words: string) {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) });
  }

  async until(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    for (;;) {
      const found = this.updates.find(fits);
      if (found) return found;
      await this.#changed.promise;
    }
  }

  idle(): Promise<SessionUpdate> {
    return this.until(
      ({ sessionUpdate, ...update }) =>
        sessionUpdate === "state_update" && "state" in update && update.state === "idle",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#connection.closed;
  }
}

async function opened(gateway: ScriptedGateway) {
  const peer = new V2Client(gateway);
  await peer.initialize();
  const cwd = gateway.project;
  const session = await peer.agent.request(methods.agent.session.new, { cwd });
  return { peer, ...session };
}

describe("a client that speaks version 2 of ACP", () => {
  test("sees a turn of an agent that speaks version 1", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId, configOptions } = await opened(gateway);
    await using _peer = peer;
    expect(configOptions).toMatchObject([{ category: "mode", currentValue: "ask" }]);
    const { messageId } = await peer.prompt(sessionId, "hello");
    expect(await peer.idle()).toMatchObject({ stopReason: "end_turn" });
    const commands = await peer.until(
      ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
    );
    expect(commands).toMatchObject({
      availableCommands: [{ type: "command", name: "plan", input: { type: "text" } }],
    });
    const said = peer.updates.filter(({ sessionUpdate }) => sessionUpdate.endsWith("_chunk"));
    expect(said).toMatchObject([
      { sessionUpdate: "user_message_chunk", messageId, content: { text: "hello" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "Hello " } },
      { sessionUpdate: "agent_message_chunk", content: { text: "yourself." } },
    ]);
    const [, first, second] = said as { messageId: string }[];
    expect(first?.messageId).toBe(second?.messageId);
    const states = peer.updates.flatMap((update) =>
      update.sessionUpdate === "state_update" ? [(update as { state: string }).state] : [],
    );
    expect(states).toEqual(["running", "idle"]);
  });

  test("answers a permission request, with the diff as a patch", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId } = await opened(gateway);
    await using _peer = peer;
    await peer.prompt(sessionId, "write");
    await peer.idle();
    expect(peer.permissions).toMatchObject([
      { title: "Write notes.md", subject: { type: "tool_call", toolCall: { toolCallId: "w1" } } },
    ]);
    const calls = peer.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
    expect(calls).toMatchObject([
      {
        title: "Write notes.md",
        content: [
          {
            type: "diff",
            changes: [{ operation: "modify", path: "/p/notes.md" }],
            patch: { format: "git_patch" },
          },
        ],
      },
      { status: "completed" },
    ]);
    expect(peer.updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "plan_update",
        plan: expect.objectContaining({ type: "items" }) as unknown,
      }),
    );
    const states = peer.updates.flatMap((update) =>
      update.sessionUpdate === "state_update" ? [(update as { state: string }).state] : [],
    );
    expect(states).toEqual(["running", "requires_action", "running", "idle"]);
  });

  test("cancels a turn", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId } = await opened(gateway);
    await using _peer = peer;
    await peer.prompt(sessionId, "wait");
    await peer.until(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
    await peer.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await peer.idle()).toMatchObject({ stopReason: "cancelled" });
  });

  test("learns why a turn failed", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId } = await opened(gateway);
    await using _peer = peer;
    await peer.prompt(sessionId, "fail");
    expect(await peer.idle()).toMatchObject({
      stopReason: "error",
      error: { message: expect.stringContaining("The model is out") as unknown },
    });
  });

  test("resumes with the history and the state, and chooses a mode", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId } = await opened(gateway);
    await peer.prompt(sessionId, "hello");
    await peer.idle();
    await peer[Symbol.asyncDispose]();
    await using later = new V2Client(gateway);
    await later.initialize();
    const cwd = gateway.project;
    const replayFrom = { type: "start" as const };
    const { resume, setConfigOption } = methods.agent.session;
    await later.agent.request(resume, { sessionId, cwd, replayFrom });
    // The SDK may resolve a response before it has handled the updates that came before it.
    await later.until(({ sessionUpdate }) => sessionUpdate === "state_update");
    expect(later.updates.map(({ sessionUpdate }) => sessionUpdate).slice(0, 4)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "agent_message_chunk",
      "state_update",
    ]);
    const [option] = (await later.agent.request(resume, { sessionId, cwd })).configOptions ?? [];
    const configId = option?.configId ?? "";
    const choice = { sessionId, configId, type: "id", value: "code" } as const;
    expect(await later.agent.request(setConfigOption, choice)).toMatchObject({
      configOptions: [{ configId, currentValue: "code" }],
    });
  });

  test("is told what has no counterpart in version 1", async () => {
    await using gateway = await openGateway();
    const { peer, sessionId } = await opened(gateway);
    await using _peer = peer;
    const { cancel } = methods.agent.toolCall;
    await expect(peer.agent.request(cancel, { sessionId, toolCallId: "x" })).rejects.toMatchObject({
      code: -32_022,
    });
  });
});

test("a client of version 1 is served as before while version 2 is allowed", async () => {
  await using gateway = await openGateway();
  await using persona = new Persona("full");
  const { url, token } = gateway;
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${token}` },
      WebSocket,
    }),
  );
  expect((await persona.initialize()).protocolVersion).toBe(1);
  const { sessionId } = await persona.open(gateway.project);
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
});

test("without the flag, a client of version 2 is answered with version 1", async () => {
  await using gateway = await openGateway(false);
  await using peer = new V2Client(gateway);
  // The response has the fields of version 1, which the client of the SDK refuses.
  await expect(peer.initialize()).rejects.toThrow(/"info"/);
});
