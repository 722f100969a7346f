import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { text, turn } from "../sessions/scripted-gateway.ts";
import { inGateway, itemsOf, opened, running } from "../sessions/marked-gateway.ts";
import { refused } from "./refusal.ts";

const unknownMethods = [
  "shutdown",
  "fs/list_directory",
  "fs/delete_file",
  "terminal/run",
  "mcp/message",
  "__proto__",
  "constructor",
  "toString",
  "",
  "x".repeat(5_000),
];

test.concurrent("methods that a client does not have are refused", async () => {
  const steps = [
    ...unknownMethods.map((method) => ({
      request: { method, params: { sessionId: "{{sessionId}}" }, ...refused("method-not-found") },
    })),
    // An agent's own methods, well formed: a client has none of them.
    ...[
      { method: "initialize", params: { protocolVersion: 1 } },
      { method: "session/new", params: { cwd: "{{cwd}}", mcpServers: [] } },
      { method: "session/prompt", params: { sessionId: "{{sessionId}}", prompt: [] } },
    ].map((call) => ({ request: { ...call, ...refused("method-not-found") } })),
    { request: { method: "session/request_permission", ...refused("invalid-params") } },
    { request: { method: "elicitation/create", ...refused("invalid-params") } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "go")).not.toHaveProperty("error");
    expect(watcher.kinds).not.toContain("ask-opened");
  });
});

const lines: readonly (readonly [string, object])[] = [
  ["text", { garbage: "npm warn something" }],
  ["half a message", { garbage: '{"jsonrpc":"2.0","method":"session/upd' }],
  ["other JSON", { garbage: '{"level":"info","msg":"started"}' }],
  ["a number", { garbage: "12" }],
  ["null", { garbage: "null" }],
  ["bytes that are not text", { bytes: "fffe00c328 0a" }],
  ["text that is not UTF-8", { invalidUtf8: "caf" }],
  ["an answer to nothing", { message: { jsonrpc: "2.0", id: 4711, result: {} } }],
  ["an answer to a word", { message: { jsonrpc: "2.0", id: "4711", result: {} } }],
  ["an answer without an id", { message: { jsonrpc: "2.0", id: null, result: {} } }],
  ["an error to nothing", { message: { jsonrpc: "2.0", id: 9, error: { code: 1, message: "" } } }],
  ["another version", { message: { jsonrpc: "1.0", method: "session/update", params: {} } }],
  ["an update with a NUL", { say: "a\u0000b" }],
  ["a batch", { garbage: '[{"jsonrpc":"2.0","id":1,"method":"x"}]' }],
  ["a line that is too long", { oversized: { bytes: 25_000 } }],
];

test.concurrent("lines that are not messages are recorded, and the conversation continues", async () => {
  const turns = lines.map(([name, step]) => ({
    match: `/^${name}$/`,
    steps: [{ say: "before " }, step, { say: "after" }],
  }));
  await inGateway(
    { agent: { turns } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      for (const [index, [name]] of lines.entries()) {
        const { stopReason } = await turn(session, watcher, name);
        const { noise } = (await session.view()).agent;
        const said = watcher.said.slice("before after".length * index);
        expect({ name, stopReason, said, noise: noise.count }).toEqual({
          name,
          stopReason: "end_turn",
          said: "before after",
          noise: index + 1,
        });
      }
    },
    { limits: { lineBytes: 20_000, noiseWindowMs: 0 } },
  );
});

const wrongIds: readonly (readonly [string, object])[] = [
  ["an id that is too long", { id: "x".repeat(1_025) }],
  ["a fractional id", { id: 1.5 }],
  ["an id that is too large", { id: 2 ** 60 }],
  ["an id that is a list", { id: [1] }],
  ["an id that is an object", { id: {} }],
  ["an id that is a flag", { id: true }],
  ["params that are a list", { id: "a", params: [1, 2] }],
  ["params that are a string", { id: "b", params: "all" }],
];

test.concurrent("a request in a line that is too long is refused, and not executed", async () => {
  const long = { path: "{{cwd}}/new.txt", content: "x".repeat(25_000) };
  const steps = [{ writeFile: { ...long, ...refused("message-too-large") } }, { say: "on" }];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, "go")).not.toHaveProperty("error");
      expect(watcher.said).toBe("on");
      expect(await fs.readdir(gateway.project)).toEqual([]);
    },
    { limits: { lineBytes: 20_000 } },
  );
});

test.concurrent("requests with invalid ids and params have no effect, and are answered", async () => {
  const file = { sessionId: "{{sessionId}}", path: "{{cwd}}/new.txt", content: "hacked" };
  const call = { jsonrpc: "2.0", method: "fs/write_text_file", params: file };
  const steps = wrongIds.map(([, wrong]) => ({ message: { ...call, ...wrong } }));
  await inGateway({ agent: { turns: [{ steps: [...steps, { say: "on" }] }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(watcher.said).toBe("on");
    expect(watcher.kinds).not.toContain("file-written");
    expect(await fs.readdir(gateway.project)).toEqual([]);
  });
});

test.concurrent("a request with the id of an open one is refused, and the open one is not lost", async () => {
  const ask = {
    jsonrpc: "2.0",
    id: "same",
    method: "session/request_permission",
    params: {
      sessionId: "{{sessionId}}",
      toolCall: { toolCallId: "t", title: "Do" },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    },
  };
  const steps = [{ message: ask }, { message: ask }, { message: ask }, { say: "asked" }];
  await inGateway({ agent: { turns: [{ steps, end: "never" }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await session.prompt("p", text("go"), "tester");
    await watcher.until("update");
    expect((await session.view()).openAsks).toHaveLength(1);
    await session.cancel("tester");
    await watcher.until("turn-ended");
    expect(await itemsOf(session, "ask")).toHaveLength(1);
  });
});

test.concurrent("a flood of requests is answered one by one, with bounded memory", async () => {
  const many = Array.from({ length: 300 }, () => ({
    readFile: { path: "{{cwd}}/a.txt", expect: { content: "inside" } },
  }));
  const steps = [{ together: many.map((step) => [step]) }, { say: "all" }];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      await fs.writeFile(path.join(gateway.project, "a.txt"), "inside");
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.kinds.filter((kind) => kind === "file-read")).toHaveLength(300);
    },
    { limits: { agentRequestsOpen: 8 } },
  );
});

test.concurrent("a flood of refused requests is slowed down, and a cancel still works", async () => {
  const unknown = { request: { method: "no/such", on: { error: [] } } };
  const steps = [{ repeat: { times: 20, steps: [unknown, { say: "x" }] } }];
  await inGateway(
    { agent: { turns: [{ steps }, { steps: [] }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await session.prompt("p", text("go"), "tester");
      await watcher.until("update", () => watcher.said === "xxxxx");
      await session.cancel("tester");
      expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
      expect(watcher.said).toBe("xxxxx");
      expect(watcher.kinds).not.toContain("agent-exited");
      expect(await turn(session, watcher, "next")).toMatchObject({ stopReason: "end_turn" });
    },
    { limits: { errorRepliesPerMinute: 5 } },
  );
});

test.concurrent("a flood of updates is logged completely, in order", async () => {
  const steps = [{ flood: { count: 20_000, bytes: 20 } }];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    const updates = watcher.events.filter(({ kind }) => kind === "update");
    expect(updates).toHaveLength(20_000);
  });
});

const openings: readonly (readonly [string, object, string])[] = [
  [
    "updates without end before initialize is answered",
    { atStart: [{ repeat: { times: 3_000, steps: [{ message: update("early") }] } }] },
    "opens",
  ],
  [
    "requests before initialize is answered",
    { atStart: [{ message: write("before") }, { message: write("before, again") }] },
    "opens",
  ],
  [
    "updates without end before session/new is answered",
    {
      answers: {
        "session/new": { before: [{ repeat: { times: 3_000, steps: [{ say: "x" }] } }] },
      },
    },
    "opens",
  ],
  ["no response to session/new", { answers: { "session/new": { never: true } } }, "timeout"],
  [
    "a session/new response without an id",
    { answers: { "session/new": { result: {} } } },
    "agent-protocol-error",
  ],
  [
    "an initialize response that is a string",
    { answers: { initialize: { raw: { result: "yes" } } } },
    "agent-protocol-error",
  ],
  [
    "an initialize that is answered twice",
    { answers: { initialize: { raw: { result: {}, error: { code: 1, message: "both" } } } } },
    "agent-protocol-error",
  ],
];

function update(words: string): object {
  const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } };
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s", update: chunk },
  };
}

function write(id: string): object {
  const params = { sessionId: "s", path: "new.txt", content: "hacked" };
  return { jsonrpc: "2.0", id, method: "fs/write_text_file", params };
}

test.concurrent.each(openings)("%s", async (_name, agent, outcome) => {
  await inGateway(
    { agent, other: { turns: [{ steps: [{ say: "fine" }] }] } },
    async (gateway) => {
      const how = await gateway.openSession("agent").then(
        () => "opens",
        ({ code }: { code: string }) => code,
      );
      expect(how).toBe(outcome);
      // All or nothing: a session with an agent, or neither.
      const left = how === "opens" ? 1 : 0;
      expect(await running(gateway)).toHaveLength(left);
      expect((await gateway.sessions.list({})).sessions).toHaveLength(left);
      expect(await fs.readdir(gateway.project)).toEqual([]);
      const { session, watcher } = await opened(gateway, "other");
      await turn(session, watcher, "go");
      expect(watcher.said).toBe("fine");
    },
    // Only if the agent must be late: the other agent answers within the same limit.
    { limits: outcome === "timeout" ? { sessionNewMs: 5_000 } : {} },
  );
});

test.concurrent("an agent of one session can't send updates to another", async () => {
  const steps = [{ child: "{{prompt}}", say: "I am the other one" }, { say: "mine" }];
  const agents = { agent: { turns: [{ steps }] }, victim: { session: { ids: ["theirs"] } } };
  await inGateway(agents, async (gateway) => {
    const victim = await opened(gateway, "victim");
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "theirs");
    expect(victim.watcher.kinds).not.toContain("update");
    // Updates for another session are shown as a subagent's, in its own session only.
    const shown = await itemsOf(session, "message");
    expect(JSON.stringify(shown)).not.toContain("I am the other one");
  });
});
