// An agent that speaks version 2 of ACP over stdio, made with the official SDK. A prompt names what it does.
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";

interface OpenSession {
  level: string;
  cancelled: PromiseWithResolvers<void>;
  readonly history: SessionUpdate[];
}

const sessions = new Map<string, OpenSession>();
let count = 0;

const optionsOf = ({ level }: OpenSession): SessionConfigOption[] => [
  {
    type: "select",
    configId: "level",
    name: "Level",
    category: "thought_level",
    currentValue: level,
    options: [
      {
        groupId: "g",
        name: "Group",
        options: [
          { value: "low", name: "Low" },
          { value: "high", name: "High" },
        ],
      },
    ],
  },
];

function sessionOf(sessionId: string): OpenSession {
  const session = sessions.get(sessionId);
  if (!session) throw RequestError.resourceNotFound(sessionId);
  return session;
}

function open(sessionId: string): OpenSession {
  const session = { level: "low", cancelled: Promise.withResolvers<void>(), history: [] };
  sessions.set(sessionId, session);
  return session;
}

async function run(client: AgentContext, sessionId: string, words: string): Promise<void> {
  const session = sessionOf(sessionId);
  const update = async (sent: SessionUpdate) => {
    session.history.push(sent);
    await client.notify(methods.client.session.update, { sessionId, update: sent });
  };
  const state = (sent: SessionUpdate) =>
    client.notify(methods.client.session.update, { sessionId, update: sent });
  await state({ sessionUpdate: "state_update", state: "running" });
  if (words === "fail") {
    const error = { code: -32_603, message: "The model is out" };
    await state({ sessionUpdate: "state_update", state: "idle", stopReason: "error", error });
    return;
  }
  const messageId = `m${++count}`;
  const say = (text: string) =>
    update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  if (words === "tools") {
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      title: "Edit a.txt",
      kind: "edit",
      status: "pending",
    });
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      title: "Edit a.txt?",
      description: "It is outdated.",
      subject: { type: "tool_call", toolCall: { toolCallId: "t1" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status:
        outcome.outcome === "selected" && outcome["optionId"] === "yes" ? "completed" : "cancelled",
      content: [
        {
          type: "diff",
          changes: [{ operation: "modify", path: "/p/a.txt" }],
          patch: {
            format: "git_patch",
            text: "diff --git a/p/a.txt b/p/a.txt\n--- a/p/a.txt\n+++ b/p/a.txt\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n",
          },
        },
      ],
    });
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t2",
      title: "Run make",
      kind: "execute",
      status: "in_progress",
      content: [{ type: "terminal", terminalId: "x" }],
    });
    await update({ sessionUpdate: "terminal_update", terminalId: "x", command: "make" });
    for (const part of ["one\n", "two\n"])
      await update({
        sessionUpdate: "terminal_output_chunk",
        terminalId: "x",
        data: Buffer.from(part).toString("base64"),
      });
    await update({
      sessionUpdate: "terminal_update",
      terminalId: "x",
      exitStatus: { exitCode: 0 },
    });
    await update({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: "completed" });
    await update({
      sessionUpdate: "plan_update",
      plan: {
        type: "items",
        planId: "p",
        entries: [{ content: "Step", priority: "high", status: "pending" }],
      },
    });
  }
  if (words === "wait") {
    await say("Waiting.");
    await session.cancelled.promise;
    session.cancelled = Promise.withResolvers();
    await state({ sessionUpdate: "state_update", state: "idle", stopReason: "cancelled" });
    return;
  }
  await say("Hello ");
  await say("yourself.");
  await state({
    sessionUpdate: "agent_message",
    messageId,
    content: [{ type: "text", text: "Hello yourself. Bye." }],
  });
  await state({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

function wordsOf(prompt: readonly ContentBlock[]): string {
  return prompt.map((block) => (block.type === "text" ? String(block["text"]) : "")).join("");
}

agent({ name: "v2" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: "v2-agent", version: "1.0.0" },
    capabilities: { session: { prompt: { image: {} }, mcp: { stdio: {} } } },
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = `s${sessions.size + 1}`;
    return {
      sessionId,
      configOptions: optionsOf(open(sessionId)),
      availableCommands: [
        {
          type: "command" as const,
          name: "plan",
          description: "Make a plan",
          input: { type: "text" as const, hint: "what for" },
        },
      ],
    };
  })
  .onRequest(methods.agent.session.list, () => ({ sessions: [] }))
  .onRequest(methods.agent.session.close, () => ({}))
  .onRequest(methods.agent.session.resume, async ({ params, client }) => {
    const { sessionId, replayFrom } = params;
    const session = sessions.get(sessionId) ?? open(sessionId);
    if (replayFrom)
      for (const update of session.history)
        await client.notify(methods.client.session.update, { sessionId, update });
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "state_update", state: "idle" },
    });
    return { configOptions: optionsOf(session) };
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const session = sessionOf(params.sessionId);
    session.level = String(params.value);
    return { configOptions: optionsOf(session) };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    sessionOf(sessionId);
    const messageId = `u${++count}`;
    const echo: SessionUpdate = { sessionUpdate: "user_message", messageId, content: prompt };
    await client.notify(methods.client.session.update, { sessionId, update: echo });
    void run(client, sessionId, wordsOf(prompt));
    return { messageId };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) =>
    sessionOf(params.sessionId).cancelled.resolve(),
  )
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
