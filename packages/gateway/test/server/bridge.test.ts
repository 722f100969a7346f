import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { modes } from "../sessions/agent-options.ts";
import { text, Watcher } from "../sessions/scripted-gateway.ts";
import { TestClient, type Frame } from "./socket-client.ts";
import { LoggedSession, TestGateway } from "./test-gateway.ts";

const toolCall = { toolCallId: "call-1", title: "Write a.txt" };
const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const asksToWrite = (steps: readonly object[]) => ({
  permission: { toolCall, options, on: { yes: steps } },
});

const scenario = {
  session: { modes },
  turns: [
    {
      match: "Write a file",
      steps: [
        { say: "Hel" },
        { say: "lo." },
        { tool: { ...toolCall, kind: "edit", rawInput: { path: "a.txt" } } },
        asksToWrite([
          {
            toolUpdate: { toolCallId: "call-1", status: "completed", rawOutput: { written: 8 } },
          },
          { say: " Done." },
        ]),
      ],
      end: "never",
    },
    { match: "ask", steps: [asksToWrite([])] },
    { match: "/./", steps: [{ say: "Done." }] },
  ],
};

let world: TestGateway;
let address: string;

beforeAll(async () => {
  world = await TestGateway.start({ scenario });
  const { token } = await world.tokenOf("control");
  address = `ws://127.0.0.1:${world.port}/ws?token=${token}`;
});

afterAll(() => world[Symbol.asyncDispose]());

const bridge = { protocols: ["bridge.v1"] };

/**
 * The logic of the hook that seed 001 prints, without React: state with setters, one message handler, three functions
 * that send. It knows only the address.
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
  test("prompts, shows a tool call, answers a permission request, and cancels", async () => {
    const session = await world.open();
    const asked = Promise.withResolvers<Frame>();
    const hook = useBridge(address, asked.resolve);
    const onlooker = new TestClient(hook.socket);
    await onlooker.opened;

    hook.sendMessage("Write a file", session.id);
    const request = await asked.promise;
    expect(request).toMatchObject({ options: [{ optionId: "yes" }] });
    hook.respondToPermission(request["requestId"], { outcome: "selected", optionId: "yes" });
    await onlooker.until(({ type }) => type === "permission_settled");
    await onlooker.until((frame) => frame["content"] === " Done.");
    hook.cancelTurn(session.id);
    await onlooker.until(({ type }) => type === "turn_complete");
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
    const hook = useBridge(address, () => {});
    const onlooker = new TestClient(hook.socket);
    await onlooker.opened;
    hook.sendMessage("Hello?", "nowhere");
    const error = await onlooker.until(({ type }) => type === "error");
    expect(error).toMatchObject({ code: "session-not-found", sessionId: "nowhere" });
  });
});

describe("sessions", () => {
  test("new_session uses the first agent that was found, and is answered by session_ready", async () => {
    const client = await world.connect(bridge);
    client.send({ type: "new_session" });
    const ready = await client.until(({ type }) => type === "session_ready");
    expect(ready).toMatchObject({
      agent: "scripted",
      cwd: process.cwd(),
      modes: { currentModeId: "ask" },
      seq: expect.any(Number) as number,
    });
    const session = new LoggedSession(await world.sessions.get(ready["sessionId"] as string));
    session.says("live");
    const chunk = await client.until(({ type }) => type === "message_chunk");
    expect(chunk).toMatchObject({ content: "live", sessionId: session.id, seq: session.log.head });
    expect(client.types()[0]).toBe("session_ready");
  });

  test("load_session is answered by session_ready, then by the events after the cursor", async () => {
    const session = await world.recorded();
    for (const words of ["a", "b", "c"]) session.says(words);
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
    const session = await world.open();
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

  test("an unknown field is refused by its name, without any effect", async () => {
    const session = await world.recorded();
    const client = await world.connect(bridge);
    client.send({ type: "send_message", sessionId: session.id, content: "hi", urgent: true });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({
      code: "invalid-params",
      message: "urgent is not a known field.",
    });
    expect(session.log.head).toBe(1);
  });

  test("an answer finds its session among those that the socket follows", async () => {
    const client = await world.connect(bridge);
    const asks: { readonly session: LoggedSession; readonly askId: string }[] = [];
    for (let count = 0; count < 3; count++) {
      const session = await world.open();
      using watcher = new Watcher(session.session);
      await session.session.prompt("p", text("ask"), "tester");
      asks.push({ session, askId: (await watcher.until("ask-opened")).askId });
      client.send({ type: "load_session", sessionId: session.id });
    }
    await client.until((frame) => frame["requestId"] === asks[2]!.askId);
    const { session, askId } = asks[1]!;
    const answer = (requestId: string) =>
      client.send({ type: "permission_response", requestId, outcome: { optionId: "yes" } });
    answer(askId);
    const settled = await client.until(({ type }) => type === "permission_settled");
    expect(settled).toMatchObject({
      sessionId: session.id,
      requestId: askId,
      by: { client: (await world.tokenOf("control")).id },
    });
    answer(askId);
    const first = await client.until(({ type }) => type === "error");
    expect(first).toMatchObject({ code: "ask-already-settled" });
    answer("ask-9");
    await client.until((frame) => frame["code"] === "ask-not-found");
  });

  test("a deleted session is reported", async () => {
    const session = await world.recorded();
    const client = await world.connect(bridge);
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_opened");
    await world.sessions.delete(session.id, "tester");
    expect(await client.until(({ type }) => type === "error")).toMatchObject({
      code: "session-expired",
      sessionId: session.id,
    });
  });

  test("a token with the role watch may load, but not act", async () => {
    const session = await world.recorded();
    const client = await world.connect({ ...bridge, token: "watch" });
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_ready");
    client.send({ type: "send_message", sessionId: session.id, content: "hi" });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ code: "forbidden" });
    expect(session.log.head).toBe(1);
  });

  test("events without a frame in this dialect are skipped", async () => {
    const session = await world.recorded();
    const client = await world.connect(bridge);
    client.send({ type: "load_session", sessionId: session.id });
    await client.until(({ type }) => type === "session_opened");
    session.append({ kind: "agent-noise", lines: ["?"], count: 1, reason: "not JSON" });
    session.says("still here");
    expect(await client.until(({ type }) => type === "message_chunk")).toMatchObject({ seq: 3 });
  });
});
