import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { eventOf, sampleBodies, sampleUpdates, updateEvent } from "../../../test/sample-events.ts";
import { LandlineError } from "../../errors.ts";
import type { RawUpdate } from "../../events.ts";
import { emptyView } from "../../view/empty.ts";
import { bridgeReady, bridgeRefusal, toBridge } from "./bridge.ts";

const stamp = { seq: 7, sessionId: "s-1", timestamp: 1_700_000_000_000 };
const said = (update: RawUpdate, child?: string) => toBridge("s-1", updateEvent(update, child));
const told = (body: Parameters<typeof eventOf>[0]) => toBridge("s-1", eventOf(body));

/** The state of seed 001's hook after the frames, using only the fields that it reads. */
function chatOf(frames: readonly object[]) {
  let streaming = "";
  const tools = new Map<
    unknown,
    { name: unknown; arguments: unknown; status: string; result?: unknown }
  >();
  for (const frame of frames as Record<string, unknown>[]) {
    if (frame["type"] === "message_chunk") streaming += String(frame["content"]);
    if (frame["type"] === "tool_call_started")
      tools.set(frame["toolCallId"], {
        name: frame["toolName"],
        arguments: frame["arguments"],
        status: "pending",
      });
    const tool = tools.get(frame["toolCallId"]);
    if (frame["type"] === "tool_call_completed" && tool) {
      tool.status = "completed";
      tool.result = frame["result"];
    }
  }
  return { streaming, tools: [...tools.entries()] };
}

describe("a turn, as seed 001's hook reads it", () => {
  it("joins the text and follows the tool call from start to end", () => {
    const frames = [
      sampleUpdates.agent_thought_chunk,
      sampleUpdates.agent_message_chunk,
      sampleUpdates.tool_call,
      sampleUpdates.tool_call_update,
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: "completed",
        rawOutput: "8 bytes",
      },
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: " again" } },
    ].flatMap((update) => said(update));
    expect(chatOf(frames)).toEqual({
      streaming: "Hello again",
      tools: [
        [
          "call-1",
          {
            name: "read_file",
            arguments: { path: "/repo/a.txt" },
            status: "completed",
            result: "8 bytes",
          },
        ],
      ],
    });
  });

  it("leaves a tool call pending until it has ended", () => {
    const frames = [sampleUpdates.tool_call, sampleUpdates.tool_call_update].flatMap((update) =>
      said(update),
    );
    expect(chatOf(frames).tools).toMatchObject([["call-1", { status: "pending" }]]);
  });

  it("keeps a subagent's text separate from the agent's", () => {
    expect(chatOf(said(sampleUpdates.agent_message_chunk, "child-1")).streaming).toBe("");
    expect(said(sampleUpdates.agent_message_chunk, "child-1")).toEqual([
      {
        ...stamp,
        type: "child_update",
        child: "child-1",
        frame: { type: "message_chunk", content: "Hello" },
      },
    ]);
  });

  it("understands the updates of seed 001 itself", () => {
    const call = { toolCallId: "call_123", toolName: "read_file", arguments: { path: "/m.ts" } };
    const result = { type: "text", text: "log" };
    const frames = [
      { sessionUpdate: "tool_call", toolCall: { ...call, status: "pending" } },
      {
        sessionUpdate: "tool_call_update",
        toolCall: { toolCallId: "call_123", status: "completed", result },
      },
    ].flatMap((update) => said(update));
    expect(chatOf(frames).tools).toEqual([
      [
        "call_123",
        { name: "read_file", arguments: { path: "/m.ts" }, status: "completed", result },
      ],
    ]);
  });
});

describe("updates", () => {
  it("starts a tool call with all known fields", () => {
    expect(said(sampleUpdates.tool_call)).toEqual([
      {
        ...stamp,
        type: "tool_call_started",
        toolCallId: "call-1",
        toolName: "read_file",
        arguments: { path: "/repo/a.txt" },
        kind: "read",
        title: "Read a.txt",
        status: "pending",
        locations: [{ path: "/repo/a.txt", line: 1 }],
      },
    ]);
  });

  it("starts and ends a tool call that arrives already ended", () => {
    const frames = said({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "T",
      status: "completed",
    });
    expect(frames.map(({ type }) => type)).toEqual(["tool_call_started", "tool_call_completed"]);
    expect(frames[0]).toMatchObject({ toolName: "T", arguments: {}, kind: "other", locations: [] });
    expect(frames[1]).toMatchObject({ toolName: "T", result: null });
  });

  it("reports a failed tool call as an error, with its content as the result", () => {
    const content = [
      { type: "content", content: { type: "text", text: "No such file" } },
      { type: "diff", path: "/repo/a.txt", newText: "x" },
      { type: "terminal", terminalId: "term-1" },
    ];
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "failed",
      content,
    };
    expect(said(update)).toEqual([
      {
        ...stamp,
        type: "tool_call_completed",
        toolCallId: "c",
        status: "error",
        result: "No such file\n[diff: /repo/a.txt]\n[terminal: term-1]",
        toolContent: content,
      },
    ]);
  });

  it("reports only the repeated fields in tool call updates", () => {
    expect(said(sampleUpdates.tool_call_update)).toEqual([
      { ...stamp, type: "tool_call_updated", toolCallId: "call-1", status: "in_progress" },
    ]);
  });

  it.each<[string, RawUpdate, object]>([
    ["plan", sampleUpdates.plan, { type: "plan_created", entries: sampleUpdates.plan.entries }],
    [
      "plan with an id",
      sampleUpdates.plan_update,
      { type: "plan_created", entries: [], planId: "plan-1" },
    ],
    ["mode", sampleUpdates.current_mode_update, { type: "mode_changed", modeId: "code" }],
    ["options", sampleUpdates.config_option_update, { type: "options_changed", configOptions: [] }],
    ["title", sampleUpdates.session_info_update, { type: "session_changed", title: "Tests" }],
    [
      "usage",
      sampleUpdates.usage_update,
      { type: "usage_changed", usage: { used: 10, size: 100 } },
    ],
    [
      "notice",
      sampleUpdates.notice,
      { type: "notice", notice: { severity: "warning", title: "Careful" } },
    ],
    [
      "plan that is a file",
      { sessionUpdate: "plan_update", plan: { planId: "1", type: "file", uri: "file:///p.md" } },
      { type: "plan_created", entries: [], planId: "1", uri: "file:///p.md" },
    ],
    [
      "plan in Markdown",
      { sessionUpdate: "plan_update", plan: { planId: "1", type: "markdown", content: "# P" } },
      { type: "plan_created", entries: [], planId: "1", content: "# P" },
    ],
    ["removed plan", sampleUpdates.plan_removed, { type: "plan_removed", planId: "plan-1" }],
    [
      "subagent",
      sampleUpdates.subagent_update,
      {
        type: "subagent_changed",
        subagent: { sessionId: "child-1", title: "Search", state: { state: "running" } },
      },
    ],
    [
      "message between agents",
      sampleUpdates.session_message,
      {
        type: "session_message_changed",
        message: {
          messageId: "sm-1",
          senderSessionId: "a-1",
          recipientSessionId: "child-1",
          content: [{ type: "text", text: "Look for" }],
        },
      },
    ],
    [
      "part of a message between agents",
      sampleUpdates.session_message_chunk,
      { type: "session_message_chunk", messageId: "sm-1", content: " tests" },
    ],
    [
      "another",
      sampleUpdates["any other"],
      { type: "unknown_update", raw: sampleUpdates["any other"] },
    ],
  ])("converts a %s", (_what, update, body) => {
    expect(said(update)).toEqual([{ ...body, ...stamp }]);
  });

  it.each<RawUpdate>([
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: [] },
    { sessionUpdate: "tool_call", title: "no id" },
    { sessionUpdate: "tool_call_update", toolCallId: 7 },
    { sessionUpdate: "plan", entries: "none" },
    { sessionUpdate: "plan_update", plan: null },
    { sessionUpdate: "current_mode_update", currentModeId: {} },
    { sessionUpdate: "available_commands_update" },
    { sessionUpdate: "config_option_update", configOptions: 5 },
    { sessionUpdate: "toString" },
    {},
  ])("passes on invalid updates unchanged: %j", (raw) => {
    expect(said(raw)).toEqual([{ ...stamp, type: "unknown_update", raw }]);
  });

  it("never overwrites the frame's own fields with those of an update", () => {
    const hostile = {
      type: "message_chunk",
      seq: 0,
      sessionId: "other",
      timestamp: 0,
      content: "x",
    };
    for (const update of Object.values(sampleUpdates))
      for (const frame of said({ ...hostile, ...update })) {
        expect(frame).toMatchObject(stamp);
        expect(frame.type === "message_chunk").toBe(update.sessionUpdate === "agent_message_chunk");
      }
  });

  test.prop([
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.constantFrom(...Object.keys(sampleUpdates)),
  ])("makes at least one frame of any update, and never throws", (fields, sessionUpdate) => {
    for (const update of [fields, { ...fields, sessionUpdate }]) {
      const frames = said(update);
      expect(frames.length).toBeGreaterThan(0);
      for (const frame of frames) expect(frame).toMatchObject(stamp);
    }
  });
});

describe("events", () => {
  it("requests a permission with the ask's id", () => {
    const { toolCall, options } = sampleBodies["ask-opened"] as {
      toolCall?: object;
      options?: object;
    };
    expect(told({ ...sampleBodies["ask-opened"], child: "child-1" })).toEqual([
      {
        ...stamp,
        type: "permission_request",
        requestId: "ask-1",
        toolCall,
        options,
        child: "child-1",
      },
    ]);
  });

  it("sends a question, and how and by whom each ask was settled", () => {
    const request = {
      message: "Which?",
      mode: "form",
      sessionId: "a",
      requestedSchema: { type: "object" },
    } as const;
    expect(told({ kind: "ask-opened", askId: "q", ask: "question", request })).toEqual([
      { ...stamp, type: "question_request", requestId: "q", request },
    ]);
    const by = { client: "client-2" } as const;
    expect(told(sampleBodies["ask-settled"])).toMatchObject([
      { type: "permission_settled", requestId: "ask-1", by },
    ]);
    const body = sampleBodies["ask-settled"];
    const [rejected] = told({ ...body, note: "Use make." });
    expect(rejected).toMatchObject({ type: "permission_settled", note: "Use make." });
    expect(told(body)[0]).not.toHaveProperty("note");
    expect(
      told({ kind: "ask-settled", askId: "q", outcome: { action: "decline" }, by }),
    ).toMatchObject([{ type: "question_settled", outcome: { action: "decline" } }]);
  });

  it("sends prompts to every client, as text and as blocks", () => {
    const content = [
      { type: "text", text: "Look at" },
      { type: "resource_link", name: "a.txt", uri: "file:///repo/a.txt" },
    ] as const;
    expect(told({ kind: "prompt-queued", promptId: "p-1", content, by: "client-2" })).toEqual([
      {
        ...stamp,
        type: "user_message",
        promptId: "p-1",
        content: "Look at\n[a.txt](file:///repo/a.txt)",
        blocks: content,
        by: "client-2",
      },
    ]);
  });

  it("ends a turn with its reason, and with its error if it failed", () => {
    const error = { code: "agent-exited", message: "The agent ended." };
    expect(told(sampleBodies["turn-ended"])).toEqual([
      { ...stamp, type: "turn_complete", turnId: "t-1", stopReason: "end_turn" },
    ]);
    expect(told({ kind: "turn-ended", turnId: "t-1", stopReason: "failed", error })).toMatchObject([
      { type: "turn_complete", stopReason: "failed", error },
    ]);
  });

  it("reports a mode that arrived with other options", () => {
    expect(told(sampleBodies["options-changed"])).toEqual([
      {
        ...stamp,
        type: "options_changed",
        modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] },
        configOptions: [],
      },
      { ...stamp, type: "mode_changed", modeId: "ask" },
    ]);
    expect(told({ kind: "options-changed", modes: null })).toHaveLength(1);
  });

  it("refers to a text that is stored as a blob", () => {
    const text = { $blob: "abc", bytes: 300_000 } as unknown as string;
    expect(told({ kind: "terminal-output", terminalId: "term-1", text })).toMatchObject([
      { type: "terminal_output", terminalId: "term-1", content: "[blob: abc]" },
    ]);
  });

  it("passes on an event of an unknown kind", () => {
    const event = { seq: 7, at: stamp.timestamp, kind: "constructor", more: 1 };
    expect(toBridge("s-1", event)).toEqual([{ ...stamp, type: "unknown_event", raw: event }]);
  });

  it("omits only an agent's noise", () => {
    const silent = Object.values(sampleBodies).filter((body) => told(body).length === 0);
    expect(silent.map(({ kind }) => kind)).toEqual(["agent-noise"]);
  });

  it("numbers and dates every frame", () => {
    for (const body of Object.values(sampleBodies))
      for (const frame of told(body)) expect(frame).toMatchObject(stamp);
  });
});

describe("replies", () => {
  it("is ready with the state of the session", () => {
    const view = emptyView();
    expect(bridgeReady("s-1", { ...view, head: 7 }, stamp.timestamp)).toEqual({
      ...stamp,
      type: "session_ready",
      agent: view.session.agent,
      cwd: view.session.cwd,
      title: view.session.title,
      modes: view.modes,
      configOptions: view.configOptions,
      models: view.models,
    });
  });

  it("refuses with a code, a reason and what to do", () => {
    const error = new LandlineError("session-not-found", { data: { type: "message_chunk" } });
    expect(bridgeRefusal(error, 5, "s-9")).toEqual({
      type: "error",
      code: "session-not-found",
      message: error.message,
      help: error.help,
      sessionId: "s-9",
      timestamp: 5,
    });
    expect(bridgeRefusal(error, 5)).not.toHaveProperty("sessionId");
  });
});
