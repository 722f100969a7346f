import type { EventBody } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { FakeSession } from "./fake-sessions.ts";
import { startWorld, TestClient, type Frame, type World } from "./socket-world.ts";

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(() => world[Symbol.asyncDispose]());

const bridge = { protocols: ["bridge.v1"] };

function update(fields: Readonly<Record<string, unknown>>): EventBody {
  return { kind: "update", update: fields };
}

function says(text: string): EventBody {
  return update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

function asks(askId: string): EventBody {
  return {
    kind: "ask-opened",
    askId,
    ask: "permission",
    toolCall: { toolCallId: "call-1", title: "Write a.txt" },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  };
}

/** What an agent might do: talk, use a tool, ask, and go on when it is answered. */
function script(session: FakeSession): void {
  session.append({ kind: "turn-started", turnId: "turn-1", promptId: "any" });
  session.append(says("Hel"), says("lo."));
  session.append(
    update({
      sessionUpdate: "tool_call",
      toolCallId: "call-1",
      title: "Write a.txt",
      kind: "edit",
      rawInput: { path: "a.txt" },
    }),
  );
  session.append(asks("ask-1"));
}

/**
 * The logic of the hook that seed 001 prints, without React: state that setters change, one handler of
 * messages, three functions that send. It knows nothing of Landline but the address.
 */
function useBridge(url: string, onPermission: (event: Frame) => void) {
  const state = {
    isConnected: false,
    messages: [] as { role: string; content: string }[],
    streaming: "",
    toolCalls: [] as {
      id: unknown;
      name: unknown;
      arguments: unknown;
      status: string;
      result?: unknown;
    }[],
    others: [] as Frame[],
  };
  const socket = new WebSocket(url);
  socket.on("open", () => (state.isConnected = true));
  socket.on("close", () => (state.isConnected = false));
  socket.on("message", (data: Buffer) => handle(JSON.parse(data.toString()) as Frame));

  function handle(event: Frame): void {
    switch (event.type) {
      case "message_chunk":
        state.streaming += event["content"] as string;
        break;
      case "tool_call_started":
        state.toolCalls.push({
          id: event["toolCallId"],
          name: event["toolName"],
          arguments: event["arguments"],
          status: "pending",
        });
        break;
      case "tool_call_completed":
        for (const call of state.toolCalls) {
          if (call.id !== event["toolCallId"]) continue;
          Object.assign(call, { status: "completed", result: event["result"] });
        }
        break;
      case "permission_request":
        onPermission(event);
        break;
      default:
        state.others.push(event);
    }
  }

  const send = (message: unknown) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  return {
    state,
    socket,
    sendMessage(content: string, sessionId: string) {
      state.messages.push({ role: "user", content });
      state.streaming = "";
      send({ type: "send_message", sessionId, content });
    },
    cancelTurn: (sessionId: string) => send({ type: "cancel_turn", sessionId }),
    respondToPermission: (requestId: unknown, outcome: unknown) =>
      send({ type: "permission_response", requestId, outcome }),
  };
}

describe("the hook of seed 001, as printed", () => {
  test("talks, shows a tool call, answers a permission, and cancels", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    world.sessions.onPrompt = script;
    const asked = Promise.withResolvers<Frame>();
    const hook = useBridge(`ws://127.0.0.1:${world.port}/ws?token=control`, asked.resolve);
    const onlooker = new TestClient(hook.socket);
    await onlooker.opened;

    hook.sendMessage("Write a file", session.id);
    const request = await asked.promise;
    expect(request).toMatchObject({ requestId: "ask-1", options: [{ optionId: "yes" }] });
    hook.respondToPermission(request["requestId"], { outcome: "selected", optionId: "yes" });
    await onlooker.until(({ type }) => type === "permission_settled");
    session.append(
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: "completed",
        rawOutput: { written: 8 },
      }),
      says(" Done."),
    );
    hook.cancelTurn(session.id);
    session.append({ kind: "turn-ended", turnId: "turn-1", stopReason: "cancelled" });
    await onlooker.until(({ type }) => type === "turn_changed");

    expect(hook.state.isConnected).toBe(true);
    expect(hook.state.streaming).toBe("Hello. Done.");
    expect(hook.state.toolCalls).toEqual([
      {
        id: "call-1",
        name: "Write a.txt",
        arguments: { path: "a.txt" },
        status: "completed",
        result: { written: 8 },
      },
    ]);
    const types = hook.state.others.map(({ type }) => type);
    expect(types).toContain("user_message");
    expect(types).toContain("turn_complete");
    expect(types).not.toContain("error");
    for (const frame of onlooker.frames) {
      expect(frame).toMatchObject({
        seq: expect.any(Number),
        sessionId: session.id,
        timestamp: expect.any(Number),
      });
    }
  });

  test("an unknown session is an error frame with a code", async () => {
    const hook = useBridge(`ws://127.0.0.1:${world.port}/ws?token=control`, () => {});
    const onlooker = new TestClient(hook.socket);
    await onlooker.opened;
    hook.sendMessage("Hello?", "nowhere");
    const error = await onlooker.until(({ type }) => type === "error");
    expect(error).toMatchObject({ code: "session-not-found", sessionId: "nowhere" });
  });
});

describe("sessions", () => {
  test("new_session takes the first agent that was found, and is answered by session_ready", async () => {
    const client = await world.connect(bridge);
    client.send({ type: "new_session" });
    const ready = await client.until(({ type }) => type === "session_ready");
    expect(ready).toMatchObject({ agent: "scripted", cwd: process.cwd(), modes: null, seq: 1 });
    const session = await world.sessions.get(ready["sessionId"] as string);
    session.says("live");
    const chunk = await client.until(({ type }) => type === "message_chunk");
    expect(chunk).toMatchObject({ content: "live", sessionId: session.id, seq: 2 });
    expect(client.types()).toEqual(["session_ready", "message_chunk"]);
  });

  test("load_session is answered by session_ready, then by what happened after the cursor", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    for (const text of ["a", "b", "c"]) session.says(text);
    const client = await world.connect(bridge);
    client.send({ type: "load_session", sessionId: session.id, after: 2 });
    await client.until((frame) => frame["seq"] === 4 && frame.type === "message_chunk");
    expect(client.types()).toEqual(["session_ready", "message_chunk", "message_chunk"]);

    const all = await world.connect(bridge);
    all.send({ type: "load_session", sessionId: session.id });
    await all.until((frame) => frame["seq"] === 4 && frame.type === "message_chunk");
    expect(all.types().slice(0, 2)).toEqual(["session_ready", "session_opened"]);

    client.send({ type: "load_session", sessionId: session.id, after: 99 });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({
      code: "cursor-ahead",
      head: 4,
    });
  });

  test("change_mode is answered by mode_changed, and a refused one by an error", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    const client = await world.connect(bridge);
    client.send({ type: "change_mode", sessionId: session.id, modeId: "code" });
    expect(await client.until(({ type }) => type === "mode_changed")).toMatchObject({
      modeId: "code",
    });
    client.send({ type: "change_mode", sessionId: session.id, modeId: "unknown" });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({
      code: "option-not-offered",
    });
  });

  test("an answer finds its session among those that the socket follows", async () => {
    const client = await world.connect(bridge);
    const sessions: FakeSession[] = [];
    for (const number of [1, 2, 3]) {
      const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
      session.append(asks(`ask-${number}`));
      sessions.push(session);
      client.send({ type: "load_session", sessionId: session.id });
    }
    await client.until((frame) => frame["requestId"] === "ask-3");
    const answer = (requestId: string) =>
      client.send({ type: "permission_response", requestId, outcome: { optionId: "yes" } });
    answer("ask-2");
    const settled = await client.until(({ type }) => type === "permission_settled");
    expect(settled).toMatchObject({
      sessionId: sessions[1]!.id,
      requestId: "ask-2",
      by: { client: "control" },
    });
    answer("ask-2");
    const first = await client.until(({ type }) => type === "error");
    expect(first).toMatchObject({ code: "ask-already-settled" });
    answer("ask-9");
    await client.until((frame) => frame["code"] === "ask-not-found");
  });

  test("a session that is deleted is told of", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    const client = await world.connect(bridge);
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_opened");
    await world.sessions.delete(session.id);
    expect(await client.until(({ type }) => type === "error")).toMatchObject({
      code: "session-expired",
      sessionId: session.id,
    });
  });

  test("who only watches may load, and not act", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    const client = await world.connect({ ...bridge, token: "watch" });
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_ready");
    client.send({ type: "send_message", sessionId: session.id, content: "hi" });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ code: "forbidden" });
    expect(session.log.head).toBe(1);
  });

  test("events that have no frame in this vocabulary stop nobody", async () => {
    const session = await world.sessions.open({ agent: "scripted", cwd: "/repo", by: "test" });
    const client = await world.connect(bridge);
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_opened");
    session.append({ kind: "agent-noise", lines: ["?"], count: 1, reason: "not JSON" });
    session.says("still here");
    expect(await client.until(({ type }) => type === "message_chunk")).toMatchObject({ seq: 3 });
  });
});
