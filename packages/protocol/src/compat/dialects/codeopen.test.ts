import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { eventOf, sampleBodies, sampleUpdates, updateEvent } from "../../../test/sample-events.ts";
import type { RawUpdate } from "../../events.ts";
import { toCodeopen } from "./codeopen.ts";

const stamp = { seq: 7, sessionId: "s-1", timestamp: 1_700_000_000_000 };
const said = (update: RawUpdate, child?: string) => toCodeopen("s-1", updateEvent(update, child));
const told = (body: Parameters<typeof eventOf>[0]) => toCodeopen("s-1", eventOf(body));

describe("the five events of seed 002", () => {
  it("sends text as message.part.updated", () => {
    expect(said(sampleUpdates.agent_message_chunk)).toEqual([
      {
        id: 7,
        event: "message.part.updated",
        data: { ...stamp, type: "text", content: { text: "Hello" } },
      },
    ]);
  });

  it("sends the start of a tool call as tool.execute", () => {
    expect(said({ ...sampleUpdates.tool_call, status: "in_progress" })).toEqual([
      {
        id: 7,
        event: "tool.execute",
        data: {
          ...stamp,
          type: "tool_call",
          content: {
            toolCall: {
              id: "call-1",
              name: "read_file",
              input: { path: "/repo/a.txt" },
              status: "running",
              kind: "read",
              locations: [{ path: "/repo/a.txt", line: 1 }],
            },
          },
        },
      },
    ]);
  });

  it.each([
    ["its raw output", { rawOutput: "8 bytes" }, "8 bytes"],
    [
      "what it shows",
      { content: [{ type: "content", content: { type: "text", text: "shown" } }], rawOutput: {} },
      "shown",
    ],
    ["raw output that is not text", { rawOutput: { lines: 3 } }, '{"lines":3}'],
    ["nothing", {}, ""],
  ])("sends the end of a tool call as tool.result, with %s as text", (_what, fields, output) => {
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
      ...fields,
    };
    expect(said(update)).toMatchObject([
      {
        id: 7,
        event: "tool.result",
        data: { content: { toolResult: { callId: "c", output, isError: false } } },
      },
    ]);
  });

  it("marks a failed tool call as an error", () => {
    const update = { sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" };
    expect(said(update)).toMatchObject([{ data: { content: { toolResult: { isError: true } } } }]);
  });

  it("sends a permission as permission.request, in the forms of the seed and of ACP", () => {
    expect(told(sampleBodies["ask-opened"])).toMatchObject([
      {
        id: 7,
        event: "permission.request",
        data: {
          ...stamp,
          id: "ask-1",
          tool: "Run npm test",
          description: "Run npm test",
          options: [
            { id: "yes", label: "Allow", kind: "allow_once" },
            { id: "no", label: "Reject", kind: "reject_once" },
          ],
          toolCall: { toolCallId: "call-1" },
        },
      },
    ]);
  });

  it("sends the note of a rejection", () => {
    const body = sampleBodies["ask-settled"];
    const [frame] = told({ ...body, note: "Use make." });
    expect(frame).toMatchObject({ event: "permission.settled", data: { note: "Use make." } });
    expect(told(body)[0]?.data).not.toHaveProperty("note");
  });

  it("sends the end of a turn as session.updated, and nothing else with that name", () => {
    expect(told(sampleBodies["turn-ended"])).toEqual([
      {
        id: 7,
        event: "session.updated",
        data: { ...stamp, status: "idle", turnId: "t-1", stopReason: "end_turn" },
      },
    ]);
    const others = [
      ...Object.values(sampleBodies)
        .filter(({ kind }) => kind !== "turn-ended")
        .flatMap(told),
      ...Object.values(sampleUpdates).flatMap((update) => said(update)),
    ];
    expect(others.map(({ event }) => event)).not.toContain("session.updated");
  });

  it("understands the updates of seed 002 itself", () => {
    const toolCall = { id: "c", name: "bash", input: { command: "ls" }, status: "running" };
    expect(said({ type: "tool_call", content: { toolCall } })).toMatchObject([
      { event: "tool.execute", data: { type: "tool_call", content: { toolCall } } },
    ]);
    const toolResult = { callId: "c", output: "a.txt", isError: true };
    expect(said({ type: "tool_result", content: { toolResult } })).toMatchObject([
      { event: "tool.result", data: { type: "tool_result", content: { toolResult } } },
    ]);
    expect(said({ type: "text", content: { text: "Hi" } })).toMatchObject([
      { event: "message.part.updated", data: { type: "text", content: { text: "Hi" } } },
    ]);
    expect(said({ type: "thinking", content: { text: "Hm" } })).toMatchObject([
      { event: "thought.part.updated", data: { type: "thinking", content: { text: "Hm" } } },
    ]);
  });
});

test.each(Object.entries(sampleUpdates))("%s is passed on as unknown if it is", (name, update) => {
  const isUnknown = said(update).some(({ event }) => event === "update.unknown");
  expect(isUnknown).toBe(name === "any other");
});

describe("frames", () => {
  it("number only the last of several frames, so that a cut between them loses none", () => {
    const frames = said({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "T",
      status: "completed",
    });
    expect(frames.map(({ id, event }) => [id, event])).toEqual([
      [undefined, "tool.execute"],
      [7, "tool.result"],
    ]);
  });

  it("keep a subagent's text separate from the agent's", () => {
    expect(said(sampleUpdates.agent_message_chunk, "child-1")).toEqual([
      {
        id: 7,
        event: "child.updated",
        data: {
          ...stamp,
          child: "child-1",
          event: "message.part.updated",
          data: { type: "text", content: { text: "Hello" } },
        },
      },
    ]);
  });

  it("omit only an agent's noise, and pass on unknown events", () => {
    const silent = Object.values(sampleBodies).filter((body) => told(body).length === 0);
    expect(silent.map(({ kind }) => kind)).toEqual(["agent-noise"]);
    const event = { seq: 7, at: stamp.timestamp, kind: "valueOf" };
    expect(toCodeopen("s-1", event)).toEqual([
      { id: 7, event: "event.unknown", data: { ...stamp, raw: event } },
    ]);
  });

  test.prop([
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.constantFrom(...Object.keys(sampleUpdates)),
  ])(
    "are made of any update, with one-line names and stamps, without throwing",
    (fields, sessionUpdate) => {
      for (const update of [fields, { ...fields, sessionUpdate }]) {
        const frames = said(update);
        expect(frames.at(-1)?.id).toBe(7);
        for (const { event, data } of frames) {
          expect(event).toMatch(/^[a-z.]+$/);
          expect(data).toMatchObject(stamp);
        }
      }
    },
  );
});
