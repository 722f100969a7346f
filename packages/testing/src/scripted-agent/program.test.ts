import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { scriptedAgentCommand } from "./command.ts";
import { listen, openAgent, startAgent } from "./agent-process.ts";
import { errorOf, resultOf } from "./wire-client.ts";

describe("the program on stdio", () => {
  test("plays a conversation, and exits with 0 when stdin closes", async () => {
    await using opened = await openAgent("hello");
    const { agent, sessionId } = opened;
    const answer = await agent.prompt(sessionId, "good morning");
    expect(resultOf(answer)).toEqual({ stopReason: "end_turn" });
    expect(agent.said()).toContain("You said: good morning");
    expect(agent.messages.at(-1)).toBe(answer);
    agent.closeInput();
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
    expect(agent.noise).toEqual([]);
  });

  test("answers unknown and invalid requests according to JSON-RPC", async () => {
    await using agent = startAgent("hello");
    const early = await agent.request("session/new", { cwd: "/", mcpServers: [] });
    expect(errorOf(early)["code"]).toBe(-32600);
    await agent.initialize();
    expect(errorOf(await agent.request("no/such"))["code"]).toBe(-32601);
    expect(errorOf(await agent.request("session/fork"))["code"]).toBe(-32601);
    const relative = await agent.request("session/new", { cwd: "here", mcpServers: [] });
    expect(errorOf(relative)).toMatchObject({ code: -32602 });
    const stranger = await agent.request("session/prompt", { sessionId: "x", prompt: [] });
    expect(errorOf(stranger)).toMatchObject({ code: -32002, data: { sessionId: "x" } });
    agent.raw("{not json\n[]\n");
    await agent.until((message) => errorOf(message)["code"] === -32700);
    await agent.until((message) => errorOf(message)["code"] === -32600 && message["id"] === null);
  });

  test("accepts two requests in one write, and answers them in order", async () => {
    await using opened = await openAgent("hello");
    const { agent, sessionId } = opened;
    const line = (id: number) => {
      const params = { sessionId, prompt: [{ type: "text", text: `number ${id}` }] };
      return `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/prompt", params })}\n`;
    };
    agent.raw(line(100) + line(101));
    await agent.answerTo(101);
    const ids = agent.messages.map((message) => message["id"]).filter((id) => Number(id) >= 100);
    expect(ids).toEqual([100, 101]);
    expect(agent.said()).toMatch(/number 100[^]*number 101/);
  });

  test("reports invalid arguments, and exits with 2", async () => {
    const { command, args } = scriptedAgentCommand("/no/such/scenario.json");
    const missing = spawnSync(command, args, { encoding: "utf8" });
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("/no/such/scenario.json");
    const [program = ""] = args;
    const nothing = spawnSync(command, [program], { encoding: "utf8" });
    expect(nothing.status).toBe(2);
    expect(nothing.stderr).toContain("--scenario FILE");
    const both = spawnSync(command, [...args, "--stdio", "--port", "1"], { encoding: "utf8" });
    expect(both.stderr).toContain("exclude each other");
  });
});

describe("the program on TCP", () => {
  test("serves any number of connections, and ends when its stdin closes", async () => {
    await using server = await listen("hello");
    const clients = await Promise.all([server.connect(), server.connect(), server.connect()]);
    for (const [index, client] of clients.entries()) {
      await client.initialize();
      const sessionId = await client.newSession();
      await client.prompt(sessionId, `client ${index}`);
      expect(client.said()).toContain(`You said: client ${index}`);
    }
    // Sessions belong to the agent, not to the connection: a client that reconnects finds its own.
    const back = await server.connect();
    await back.initialize();
    const listed = resultOf(await back.request("session/list"));
    expect(listed["sessions"]).toHaveLength(3);
    server.child.stdin?.end();
    const [code] = (await once(server.child, "exit")) as [number];
    expect(code).toBe(0);
  });
});
