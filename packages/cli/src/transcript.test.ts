import { PassThrough } from "node:stream";
import { decodeEvent } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { Output } from "./output.ts";
import { Transcript, type TranscriptOptions } from "./transcript.ts";

function shown(bodies: readonly object[], options: TranscriptOptions = {}) {
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") =>
    new PassThrough().on("data", (chunk: Buffer) => (texts[name] += chunk.toString()));
  const transcript = new Transcript(new Output(stream("out"), stream("err")), options);
  for (const [index, body] of bodies.entries())
    transcript.show(decodeEvent({ seq: index + 1, at: 0, ...body }));
  transcript.end();
  return texts;
}

const update = (fields: object) => ({ kind: "update", update: fields });
const says = (text: string) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const thinks = (text: string) =>
  update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });

const turn = [
  { kind: "prompt-queued", promptId: "p", content: [{ type: "text", text: "hi" }], by: "me" },
  { kind: "turn-started", turnId: "t", promptId: "p" },
  thinks("Let me "),
  thinks("see."),
  says("Hel"),
  says("lo"),
  update({
    sessionUpdate: "tool_call",
    toolCallId: "c",
    title: "Run\n  tests",
    kind: "execute",
    status: "pending",
  }),
  {
    kind: "ask-opened",
    askId: "a",
    ask: "permission",
    toolCall: { toolCallId: "c", title: "Run tests", rawInput: { command: "npm test" } },
    options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
  },
  {
    kind: "ask-settled",
    askId: "a",
    outcome: { outcome: "selected", optionId: "y" },
    by: { rule: "r1" },
  },
  update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" }),
  update({
    sessionUpdate: "plan",
    entries: [
      { content: "One", priority: "high", status: "completed" },
      { content: "Two", priority: "low", status: "pending" },
    ],
  }),
  says("!"),
  { kind: "turn-ended", turnId: "t", stopReason: "end_turn" },
];

describe("a turn", () => {
  it("prints the answer to stdout, and everything else to stderr", () => {
    expect(shown(turn)).toEqual({
      out: "Hello\n!\n",
      err: [
        "> hi",
        "Let me see.",
        "● Run tests (execute)",
        "? Permission for Run tests: npm test",
        "  answered by a rule: Yes",
        "✗ Run tests",
        "  Run by the agent · confinement not recorded · allowed by a rule",
        "Plan:\n  [x] One\n  [ ] Two",
        "",
      ].join("\n"),
    });
  });

  it("prints only the answer if it is quiet", () => {
    expect(shown(turn, { quiet: true })).toEqual({ out: "Hello\n\n!\n", err: "" });
  });

  it("omits the user's own prompt", () => {
    expect(shown(turn, { isOwnPrompt: () => true }).err).not.toContain("> hi");
  });

  it("shows that the agent waits for a slot, and why an idle one was ended", () => {
    const events = [
      { kind: "agent-waiting", running: 8, limit: 8 },
      { kind: "agent-exited", code: 0, signal: null, stderr: "", because: "idle" },
    ];
    expect(shown(events).err).toBe(
      "Waiting for a free agent: 8 of 8 are running.\nThe idle agent was ended. Your next prompt starts it again.\n",
    );
  });

  it("that fails prints the reason, even if it is quiet", () => {
    const failed = [
      says("Oh"),
      { kind: "error", code: "agent-exited", message: "It ended.", help: "Look." },
      {
        kind: "turn-ended",
        turnId: "t",
        stopReason: "failed",
        error: { code: "x", message: "Gone." },
      },
    ];
    expect(shown(failed, { quiet: true })).toEqual({
      out: "Oh\n",
      err: "! It ended.\n  Look.\nThe turn ended with failed: Gone.\n",
    });
  });
});

it("shows the agent's announcements, and its plans in every form", () => {
  const events = [
    update({ sessionUpdate: "notice", severity: "warning", title: "Slow", description: "Busy." }),
    update({ sessionUpdate: "notice", severity: "info", title: "Saved" }),
    update({ sessionUpdate: "plan_update", plan: { planId: "1", type: "file", uri: "file:///p" } }),
    update({ sessionUpdate: "plan_update", plan: { planId: "2", content: "# Plan\n- one\n" } }),
    update({ sessionUpdate: "plan_removed", planId: "1" }),
  ];
  const err = "! Slow: Busy.\n! Saved\nPlan: file:///p\nPlan:\n# Plan\n- one\n";
  expect(shown(events)).toEqual({ out: "", err });
  const failure = { sessionUpdate: "notice", severity: "error", title: "No key" };
  expect(shown([update(failure)], { quiet: true }).err).toBe("! No key\n");
  expect(shown(events, { quiet: true }).err).toBe("");
  expect(shown(events.map((event) => Object.assign({ child: "c" }, event))).err).toBe("");
});

const write = {
  kind: "ask-opened",
  askId: "a",
  ask: "permission",
  toolCall: {
    toolCallId: "c",
    title: "Write q.ts",
    content: [
      {
        type: "content",
        content: { type: "text", text: "Asked because q.ts is new; it is big." },
      },
      { type: "diff", path: "/repo/q.ts", oldText: "one\n", newText: "two\n" },
    ],
  },
  options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
};

it("shows the agent's reason and the change with a request, each once", () => {
  const explained = { kind: "ask-explained", askId: "a", reasons: ["q.ts is new", "no rule fits"] };
  expect(shown([write, explained]).err).toBe(
    [
      "? Permission for Write q.ts",
      "  | Asked because q.ts is new; it is big.",
      "  | /repo/q.ts",
      "  | @@ -1,1 +1,1 @@",
      "  | -one",
      "  | +two",
      "  No rule allows it, because no rule fits.",
      "",
    ].join("\n"),
  );
});

it("shows a request also if it is quiet, to the person who answers", () => {
  expect(shown([write], { quiet: true }).err).toBe("");
  expect(shown([write], { quiet: true, isAsking: true }).err).toContain("+two");
});

it("prints a command once if it is also the title", () => {
  const toolCall = { toolCallId: "c", title: "npm test", rawInput: { command: "npm test" } };
  expect(shown([{ ...write, toolCall }]).err).toBe("? Permission for npm test\n");
});

it("shows the note of a rejection, on one line", () => {
  const rejected = {
    kind: "ask-settled",
    askId: "a",
    outcome: { outcome: "selected", optionId: "no" },
    by: { client: "me" },
  };
  expect(shown([rejected]).err).toBe("  answered: no\n");
  expect(shown([{ ...rejected, note: "Use make,\nnot npm." }]).err).toBe(
    "  answered: no (Use make, not npm.)\n",
  );
  const reference = { $blob: "hash", bytes: 300_000 };
  expect(shown([{ ...rejected, note: reference }]).err).toBe("  answered: no\n");
});

it("ignores unknown events", () => {
  const strange = [{ kind: "from-the-future" }, update({ sessionUpdate: "dance" }), update({})];
  expect(shown(strange)).toEqual({ out: "", err: "" });
});

it("keeps messages of child sessions out of the answer", () => {
  expect(shown([{ ...says("inner"), child: "c1" }, says("outer")]).out).toBe("outer\n");
});

it("ends a call with its latest title", () => {
  const { err } = shown([
    update({ sessionUpdate: "tool_call", toolCallId: "c", title: "edit", status: "pending" }),
    update({ sessionUpdate: "tool_call_update", toolCallId: "c", title: "Edit a.txt" }),
    update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" }),
  ]);
  expect(err).toBe("● edit\n✓ Edit a.txt\n");
});

it("says who ran a call, how it was confined and who allowed it", () => {
  const events = [
    {
      kind: "session-opened",
      agent: "codex",
      cwd: "/",
      roots: [],
      title: null,
      parent: null,
      by: "me",
    },
    {
      kind: "agent-started",
      agentSessionId: "a",
      how: "new",
      info: null,
      capabilities: {},
      confinement: null,
    },
    update({ sessionUpdate: "tool_call", toolCallId: "c", title: "Look", status: "completed" }),
    update({ sessionUpdate: "tool_call", toolCallId: "d", title: "Edit" }),
    {
      kind: "ask-opened",
      askId: "a",
      ask: "permission",
      toolCall: { toolCallId: "d" },
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    },
    {
      kind: "ask-settled",
      askId: "a",
      outcome: { outcome: "selected", optionId: "y" },
      by: { client: "command-line" },
    },
    update({ sessionUpdate: "tool_call_update", toolCallId: "d", status: "completed" }),
  ];
  const { err } = shown(events, { people: { "command-line": "the command line" } });
  expect(err.split("\n")).toEqual(
    expect.arrayContaining([
      "✓ Look",
      "  Run by codex · not confined by Landline · not asked",
      "✓ Edit",
      "  Run by codex · not confined by Landline · allowed once by the command line",
    ]),
  );
});

it("separates messages, whatever was shown between them", () => {
  const part = (messageId: string, text: string) =>
    update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  const call = update({ sessionUpdate: "tool_call", toolCallId: "c", title: "Look" });
  const { out } = shown([
    part("1", "One"),
    part("1", "."),
    part("2", "Two."),
    call,
    part("3", "3."),
  ]);
  expect(out).toBe("One.\n\nTwo.\n3.\n");
});

it("a request to leave the sandbox shows everything once, and the answer as text", () => {
  const denied = "the sandbox kept it from changing /srv/x";
  const text = `T${denied.slice(1)}. If you allow it, the command runs again.`;
  const confinement = { sandbox: "bubblewrap", network: "off" };
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "Make it", kind: "execute" };
  const asked = {
    kind: "ask-opened",
    askId: "a",
    ask: "permission",
    toolCall: {
      toolCallId: "c",
      rawInput: { command: ["make", "x"] },
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options: [{ optionId: "outside-once", name: "Run outside", kind: "allow_once" }],
  };
  const opened = {
    kind: "terminal-opened",
    terminalId: "t",
    command: "make",
    args: ["x"],
    cwd: "/",
  };
  const reasons = [denied, "only a person can let a command out of the sandbox"];
  const outcome = { outcome: "selected", optionId: "outside-once" };
  const { err } = shown([
    { kind: "update", update: call },
    { ...opened, confinement },
    asked,
    { kind: "ask-explained", askId: "a", reasons },
    { kind: "ask-settled", askId: "a", outcome, by: { client: "me" } },
  ]);
  expect(err.split("\n")).toEqual([
    "● Make it (execute)",
    "$ make x  · sandboxed (no network)",
    "? Permission for Make it: make x",
    `  | ${text}`,
    "  No rule allows it, because only a person can let a command out of the sandbox.",
    "  answered: Run outside",
    "",
  ]);
});

it("says in which editor a file was written", () => {
  const written = { kind: "file-written", path: "/repo/a.ts", bytes: 1 };
  const { err } = shown([
    { ...written, via: "disk" },
    { ...written, via: "editor", editor: "Zed" },
  ]);
  expect(err).toBe("✎ /repo/a.ts\n✎ /repo/a.ts (in Zed)\n");
});

it("says in which editor a command runs", () => {
  const opened = { kind: "terminal-opened", terminalId: "t", command: "make", args: [], cwd: "/" };
  const { err } = shown([{ ...opened, confinement: null, editor: "Zed" }]);
  expect(err).toBe("$ make  · in Zed, not confined by Landline\n");
});
