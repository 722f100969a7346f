import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApplyPatchTool } from "../../src/tools/apply-patch.ts";
import { ConnectedClient } from "../acp/connected-client.ts";
import { AgentProcess } from "../stdio/agent-process.ts";
import { noPrograms } from "../tools/tool-fixture.ts";
import { resultOf } from "./examples.ts";

test("an unsupported version is answered with version 1", async () => {
  await using agent = await AgentProcess.start();
  expect(await agent.request(1, "initialize", { protocolVersion: 99 })).toMatchObject({
    result: { protocolVersion: 1 },
  });
});

test("--stdio is the default", async () => {
  await using agent = await AgentProcess.start(["--stdio"]);
  await agent.initialize();
  expect(await agent.open()).not.toBe("");
});

test("it has the capabilities of seed 004's agent, a name and sign-in methods", async () => {
  await using client = await ConnectedClient.connect("bare");
  const hello = await client.persona.initialize();
  const { agentCapabilities } = resultOf("004", "initialize");
  expect(hello.agentCapabilities).toMatchObject(agentCapabilities as object);
  expect(hello.agentInfo).toMatchObject({ name: "landline", version: expect.any(String) });
  expect(hello.authMethods).toMatchObject([
    { id: expect.any(String), name: expect.any(String), description: expect.any(String) },
  ]);
});

test("a session is opened and loaded with models by provider, and modes", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId, ...opened } = await client.persona.open(client.cwd);
  const models = {
    currentModelId: "demo/guide",
    availableModels: expect.arrayContaining([{ modelId: "demo/guide", name: "Demo (no AI)" }]),
  };
  const modes = {
    currentModeId: "build",
    availableModes: expect.arrayContaining([
      expect.objectContaining({ id: "build" }),
      expect.objectContaining({ id: "plan" }),
    ]),
  };
  expect(opened).toMatchObject({ models, modes });
  expect(await client.persona.load(sessionId, client.cwd)).toMatchObject({ models, modes });
});

test("the project's commands are sent after a session is opened or loaded", async () => {
  const files = { ".landline/commands/greet.md": "Say hello.\n" };
  await using client = await ConnectedClient.make("bare", { files });
  const { sessionId } = await client.persona.open(client.cwd);
  const hasGreet = (message: object) => {
    const text = JSON.stringify(message);
    return text.includes("available_commands_update") && text.includes('"name":"greet"');
  };
  await client.persona.wire.until(hasGreet);
  await client.leave();
  await using later = await client.again("bare");
  await later.persona.load(sessionId, later.cwd);
  expect(await later.persona.wire.until(hasGreet)).toMatchObject({ params: { sessionId } });
});

test("a method that is in no schema is refused", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  const names = ["shutdown", "setSessionMode", "unstable_listSessions", "unstable_forkSession"];
  for (const [index, method] of names.entries()) {
    expect(await agent.request(10 + index, method, { sessionId })).toMatchObject({
      error: { code: -32601 },
    });
  }
  const prompt = [{ type: "text", text: "think" }];
  expect(await agent.request(20, "session/prompt", { sessionId, prompt })).toMatchObject({
    result: { stopReason: "end_turn" },
  });
});

/** Seed 004's table, except for `patch`, which is `apply_patch` here. */
const kinds = {
  bash: "execute",
  webfetch: "fetch",
  edit: "edit",
  write: "edit",
  grep: "search",
  glob: "search",
  list: "read",
  read: "read",
};

test("tools have the kinds of seed 004", async () => {
  const inputs: Record<keyof typeof kinds, object> = {
    bash: { command: "true", description: "Nothing" },
    // Nobody listens there.
    webfetch: { url: "http://127.0.0.1:9/" },
    edit: { filePath: "a.txt", oldString: "one", newString: "two" },
    write: { filePath: "b.txt", content: "new\n" },
    grep: { pattern: "two" },
    glob: { pattern: "*.txt" },
    list: {},
    read: { filePath: "a.txt" },
  };
  const calls = Object.entries(inputs).map(([tool, input]) => ({ calls: [{ tool, input }] }));
  await using client = await ConnectedClient.make("bare", {
    files: { "a.txt": "one\n" },
    script: calls,
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "go");
  const shown = client
    .updates("tool_call_update")
    .flatMap(({ name, kind }) => (kind === undefined ? [] : [[name, kind] as const]));
  expect(Object.fromEntries(shown)).toEqual(kinds);
  expect(createApplyPatchTool(noPrograms).kind).toBe("edit");
});

test("a long answer is sent in chunks, and no message reaches 1 MB", async () => {
  const say = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join("\n");
  const content = "x".repeat(99).concat("\n").repeat(30_000);
  const changed = { filePath: "big.txt", oldString: "the end", newString: "the very end" };
  await using client = await ConnectedClient.make("bare", {
    files: { "big.txt": `${content}the end\n` },
    script: [
      { calls: [{ tool: "read", input: { filePath: "big.txt", limit: 1 } }] },
      { calls: [{ tool: "edit", input: changed }] },
      { say },
    ],
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "go");
  expect(client.said()).toBe(say);
  expect(client.updates("agent_message_chunk").length).toBeGreaterThan(1_000);
  expect(await readFile(join(client.cwd, "big.txt"), "utf8")).toBe(`${content}the very end\n`);
  await client.persona.load(sessionId, client.cwd);
  const sizes = client.persona.wire.messages.map(({ message }) => JSON.stringify(message).length);
  expect(Math.max(...sizes)).toBeLessThan(1_000_000);
});
