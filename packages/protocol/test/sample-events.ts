import type { UpdateKind } from "../src/update-reading.ts";
import type { EventBody, EventKind, RawUpdate, SessionEvent } from "../src/events.ts";

/** One event of every kind, so that a table over kinds can't forget one. */
export const sampleBodies: {
  readonly [Kind in EventKind]: Extract<EventBody, { readonly kind: Kind }>;
} = {
  "session-opened": {
    kind: "session-opened",
    agent: "held",
    cwd: "/repo",
    roots: ["/repo"],
    title: null,
    parent: null,
    by: "client-1",
  },
  "session-changed": { kind: "session-changed", title: "Fix the tests", by: "client-1" },
  "session-closed": { kind: "session-closed", by: "client-1" },
  "agent-started": {
    kind: "agent-started",
    agentSessionId: "a-1",
    how: "new",
    info: { name: "agent", version: "1" },
    capabilities: {},
  },
  "agent-waiting": { kind: "agent-waiting", running: 8, limit: 8 },
  "agent-exited": { kind: "agent-exited", code: 1, signal: null, stderr: "no key\n" },
  "agent-noise": { kind: "agent-noise", lines: ["hello"], count: 1, reason: "not JSON" },
  "options-changed": {
    kind: "options-changed",
    modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] },
    configOptions: [],
  },
  "prompt-queued": {
    kind: "prompt-queued",
    promptId: "p-1",
    content: [{ type: "text", text: "hi" }],
    by: "client-1",
  },
  "prompt-changed": {
    kind: "prompt-changed",
    promptId: "p-1",
    content: [{ type: "text", text: "hello" }],
    by: "client-2",
  },
  "prompt-withdrawn": { kind: "prompt-withdrawn", promptId: "p-1", by: "client-2" },
  "prompt-moved": { kind: "prompt-moved", promptId: "p-1", before: null, by: "client-2" },
  "turn-started": { kind: "turn-started", turnId: "t-1", promptId: "p-1" },
  "turn-changed": { kind: "turn-changed", turnId: "t-1", state: "cancelling", rung: "cancel" },
  "turn-ended": { kind: "turn-ended", turnId: "t-1", stopReason: "end_turn" },
  update: {
    kind: "update",
    update: {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "Hel" },
      messageId: "m-1",
    },
  },
  "ask-opened": {
    kind: "ask-opened",
    askId: "ask-1",
    ask: "permission",
    toolCall: { toolCallId: "call-1", title: "Run npm test", kind: "execute" },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  },
  "ask-explained": {
    kind: "ask-explained",
    askId: "ask-1",
    reasons: ["/repo/.env may hold passwords or keys"],
  },
  "ask-settled": {
    kind: "ask-settled",
    askId: "ask-1",
    outcome: { outcome: "selected", optionId: "yes" },
    by: { client: "client-2" },
  },
  "file-read": { kind: "file-read", path: "/repo/a.txt", bytes: 8, via: "disk", line: 1 },
  "file-written": { kind: "file-written", path: "/repo/a.txt", bytes: 8, via: "editor" },
  "terminal-opened": {
    kind: "terminal-opened",
    terminalId: "term-1",
    command: "npm",
    args: ["test"],
    cwd: "/repo",
  },
  "terminal-restarted": {
    kind: "terminal-restarted",
    terminalId: "term-1",
    confinement: { sandbox: "bubblewrap", network: ["example.com"] },
    ask: "ask-1",
  },
  "terminal-output": { kind: "terminal-output", terminalId: "term-1", text: "ok\n" },
  "terminal-exited": { kind: "terminal-exited", terminalId: "term-1", exitCode: 0, signal: null },
  error: { kind: "error", code: "agent-exited", message: "The agent ended.", help: "Try again." },
};

/** One update of every kind, and one of an unknown kind. */
export const sampleUpdates = {
  user_message_chunk: {
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text: "hi" },
  },
  agent_message_chunk: {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "Hello" },
  },
  agent_thought_chunk: {
    sessionUpdate: "agent_thought_chunk",
    content: { type: "text", text: "Hm" },
  },
  tool_call: {
    sessionUpdate: "tool_call",
    toolCallId: "call-1",
    title: "Read a.txt",
    name: "read_file",
    kind: "read",
    status: "pending",
    rawInput: { path: "/repo/a.txt" },
    locations: [{ path: "/repo/a.txt", line: 1 }],
  },
  tool_call_update: {
    sessionUpdate: "tool_call_update",
    toolCallId: "call-1",
    status: "in_progress",
  },
  plan: {
    sessionUpdate: "plan",
    entries: [{ content: "Look", priority: "high", status: "pending" }],
  },
  available_commands_update: {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "review", description: "Reviews the change" }],
  },
  current_mode_update: { sessionUpdate: "current_mode_update", currentModeId: "code" },
  config_option_update: { sessionUpdate: "config_option_update", configOptions: [] },
  session_info_update: { sessionUpdate: "session_info_update", title: "Tests" },
  usage_update: { sessionUpdate: "usage_update", used: 10, size: 100 },
  notice: { sessionUpdate: "notice", severity: "warning", title: "Careful" },
  compaction_update: {
    sessionUpdate: "compaction_update",
    compactionId: "c-1",
    status: "in_progress",
  },
  compaction_summary_chunk: {
    sessionUpdate: "compaction_summary_chunk",
    compactionId: "c-1",
    content: { type: "text", text: "So far" },
  },
  plan_update: {
    sessionUpdate: "plan_update",
    plan: { type: "items", planId: "plan-1", entries: [] },
  },
  plan_removed: { sessionUpdate: "plan_removed", planId: "plan-1" },
  subagent_update: {
    sessionUpdate: "subagent_update",
    sessionId: "child-1",
    title: "Search",
    state: { state: "running" },
  },
  session_message: {
    sessionUpdate: "session_message",
    messageId: "sm-1",
    senderSessionId: "a-1",
    recipientSessionId: "child-1",
    content: [{ type: "text", text: "Look for" }],
  },
  session_message_chunk: {
    sessionUpdate: "session_message_chunk",
    messageId: "sm-1",
    content: { type: "text", text: " tests" },
  },
  "any other": { sessionUpdate: "dance", steps: 3 },
} as const satisfies Record<UpdateKind | "any other", RawUpdate>;

export function eventOf(body: EventBody, seq = 7): SessionEvent {
  return { ...body, seq, at: 1_700_000_000_000 };
}

export function updateEvent(update: RawUpdate, child?: string): SessionEvent {
  return eventOf({ kind: "update", update, ...(child === undefined ? {} : { child }) });
}
