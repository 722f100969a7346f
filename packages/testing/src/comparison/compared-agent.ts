/** A transparent PNG of one pixel. */
const image = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
};

const written = { toolCallId: "w1", title: "Write notes.md" };

const question = {
  message: "Which?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", title: "Name" } },
    required: ["name"],
  },
};

/**
 * The agent of the client scenarios: it uses every part of ACP that a client sees. Give it a folder for its state, because
 * some scenarios start it again.
 */
export const comparedAgent = {
  about: "An agent that is compared with the same agent behind a gateway.",
  initialize: {
    agentInfo: { name: "compared-agent", title: "Compared agent", version: "1.2.3" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {}, delete: {} },
      _meta: { "example.org/feature": { level: 2 } },
    },
    authMethods: [],
  },
  session: {
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code", description: "Writes without asking" },
      ],
    },
    configOptions: [
      {
        id: "effort",
        name: "Effort",
        description: "How long it thinks",
        type: "select",
        currentValue: "low",
        options: [
          { value: "low", name: "Low" },
          { value: "high", name: "High", description: "Slow" },
        ],
      },
      { id: "web", name: "Web", type: "boolean", currentValue: false },
    ],
    commands: [{ name: "plan", description: "Make a plan", input: { hint: "what for" } }],
    pageSize: 2,
  },
  turns: [
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
    { match: "name", steps: [{ title: "Greetings" }, { say: "Named." }] },
    {
      match: "tools",
      steps: [
        { think: { text: "Two tools.", messageId: "thought-1" } },
        {
          plan: [
            { content: "Read", priority: "high", status: "in_progress" },
            { content: "Edit", priority: "low", status: "pending" },
          ],
        },
        {
          tool: {
            toolCallId: "r1",
            title: "Read notes.md",
            kind: "read",
            status: "in_progress",
            locations: [{ path: "{{cwd}}/notes.md", line: 2 }],
            rawInput: { path: "notes.md" },
            _meta: { "example.org/call": 1 },
          },
        },
        {
          toolUpdate: {
            toolCallId: "r1",
            status: "completed",
            content: [{ type: "content", content: { type: "text", text: "milk" } }],
            rawOutput: { lines: 1 },
          },
        },
        { tool: { toolCallId: "e1", title: "Edit notes.md", kind: "edit", status: "pending" } },
        { toolUpdate: { toolCallId: "e1", status: "in_progress", title: "Edit the notes" } },
        {
          toolUpdate: {
            toolCallId: "e1",
            status: "completed",
            content: [
              { type: "diff", path: "{{cwd}}/notes.md", oldText: "milk", newText: "milk, bread" },
              { type: "diff", path: "{{cwd}}/new.md", oldText: null, newText: "tea" },
            ],
          },
        },
        {
          plan: [
            { content: "Read", priority: "high", status: "completed" },
            { content: "Edit", priority: "low", status: "completed" },
          ],
        },
        { say: { text: "Edited.", messageId: "message-1" } },
      ],
      end: {
        stopReason: "end_turn",
        usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 },
      },
    },
    {
      match: "picture",
      steps: [
        { say: { content: image } },
        { say: { content: { type: "resource_link", name: "notes", uri: "file:///notes.md" } } },
        {
          say: {
            content: {
              type: "resource",
              resource: { uri: "file:///notes.md", text: "milk", mimeType: "text/markdown" },
              annotations: { priority: 0.5 },
            },
          },
        },
      ],
    },
    { match: "long", steps: [{ say: "x".repeat(100_000) }, { say: "The end." }] },
    {
      match: "write",
      steps: [
        { think: "A file has to be written." },
        { tool: { ...written, kind: "edit", status: "pending" } },
        {
          permission: {
            toolCall: { ...written, rawInput: { path: "notes.md" } },
            on: {
              allow: [{ toolUpdate: { toolCallId: "w1", status: "completed" } }],
              reject: [{ toolUpdate: { toolCallId: "w1", status: "failed" } }],
            },
          },
        },
        { say: "Done." },
      ],
      cancel: { cancelsRequests: true },
    },
    {
      match: "ask",
      steps: [
        {
          ask: {
            ...question,
            on: {
              accept: [{ say: "Thanks." }],
              decline: [{ say: "Then not." }],
              cancel: [{ say: "Later." }],
            },
          },
        },
      ],
    },
    {
      match: "page",
      steps: [
        {
          ask: {
            message: "Open the page.",
            url: "https://example.org/sign",
            elicitationId: "page-1",
            on: { accept: [{ askDone: "page-1" }, { say: "Signed." }] },
          },
        },
      ],
    },
    {
      match: "files",
      steps: [
        { readFile: { path: "{{cwd}}/notes.md", save: "whole" } },
        { readFile: { path: "{{cwd}}/notes.md", line: 2, limit: 1, save: "part" } },
        { writeFile: { path: "{{cwd}}/copy.md", content: "{{whole.content}}" } },
        { say: "{{part.content}}" },
      ],
    },
    {
      match: "run",
      steps: [
        {
          createTerminal: {
            command: "echo",
            args: ["milk"],
            env: [{ name: "COLOUR", value: "none" }],
            cwd: "{{cwd}}",
            outputByteLimit: 1_000,
          },
        },
        {
          tool: {
            toolCallId: "t1",
            title: "echo milk",
            kind: "execute",
            status: "in_progress",
            content: [{ type: "terminal", terminalId: "{{terminalId}}" }],
          },
        },
        { waitForExit: { expect: { exitCode: 0 } } },
        { terminalOutput: { save: "shown" } },
        { toolUpdate: { toolCallId: "t1", status: "completed" } },
        { releaseTerminal: {} },
        { say: "{{shown.output}}" },
      ],
    },
    {
      match: "notice",
      steps: [
        { notice: { severity: "warning", title: "Slow", description: "The model is busy." } },
        {
          update: { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
        },
        {
          update: {
            sessionUpdate: "compaction_update",
            compactionId: "c1",
            status: "completed",
            summary: [{ type: "text", text: "Short." }],
          },
        },
        { say: "Shorter." },
      ],
    },
    { match: "commands", steps: [{ commands: [{ name: "undo", description: "Undo" }] }] },
    { match: "usage", steps: [{ usage: { used: 1_000, size: 200_000 } }, { say: "Few." }] },
    { match: "mode", steps: [{ mode: "code" }, { say: "In another mode." }] },
    { match: "effort", steps: [{ say: "{{options.effort}}, {{options.web}}" }] },
    { match: "think harder", steps: [{ config: { effort: "high" } }, { say: "Harder." }] },
    {
      match: "wait",
      steps: [
        { tool: { toolCallId: "s1", title: "Sleep", kind: "other", status: "in_progress" } },
        { say: "Waiting." },
        { wait: 600_000 },
      ],
      cancel: {
        steps: [{ toolUpdate: { toolCallId: "s1", status: "failed" } }, { say: "Stopped." }],
      },
    },
    { match: "sleep", steps: [{ say: "Sleeping." }, { wait: 600_000 }] },
    { match: "limit", steps: [{ say: "Half of" }], end: "max_tokens" },
    { match: "refuse", steps: [{ say: "No." }], end: "refusal" },
    { match: "requests", steps: [], end: "max_turn_requests" },
    {
      match: "fail",
      steps: [{ say: "I" }],
      end: { error: { code: -32603, message: "The model is out", data: { model: "m1" } } },
    },
    {
      match: "overload",
      steps: [],
      end: { error: { code: 529, message: "Overloaded", data: { retryAfter: 3 } } },
    },
  ],
};
