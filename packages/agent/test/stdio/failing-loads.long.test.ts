import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failingLoads } from "@landline/testing";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.ts";

test.each([
  "/model/credentials.ts",
  "/core/sessions.ts",
  "/session/jsonl-store.ts",
  "/assemble-session.ts",
  "/config/project.ts",
  "/model/model-selection.ts",
  "/shell/src/index.ts",
])("a session can be opened after %s could not be loaded", async (module) => {
  await using agent = await AgentProcess.start([], failingLoads(module));
  // `initialize` itself may need the module that fails.
  const hello = { protocolVersion: 1, clientCapabilities: {} };
  const first = await agent.request(100, "initialize", hello);
  if (first["error"] !== undefined) await agent.initialize();
  const place = { cwd: agent.cwd, mcpServers: [] };
  const answers = [
    first,
    await agent.request(101, "session/new", place),
    await agent.request(102, "session/new", place),
  ];
  expect(JSON.stringify(answers)).toContain("EMFILE");
  expect(answers[2]).toMatchObject({ result: { sessionId: expect.any(String) } });
});

test.each(["/shell/src/analyse.ts", "/web-tree-sitter.js"])(
  "a command is analysed after %s could not be loaded",
  async (module) => {
    await using agent = await AgentProcess.start([], failingLoads(module));
    await agent.initialize();
    const sessionId = await agent.open();
    await writeFile(join(agent.cwd, "a.txt"), "apple\n");
    const run = async (id: number) => {
      const prompt = [{ type: "text", text: "run cat a.txt" }];
      agent.send({ id, method: "session/prompt", params: { sessionId, prompt } });
      return agent.wire.until(
        (message) => message["id"] === id || message["method"] === "session/request_permission",
      );
    };
    await run(2);
    agent.send({ method: "session/cancel", params: { sessionId } });
    await agent.wire.until((message) => message["id"] === 2);
    agent.wire.messages.splice(0);
    // Harmless, so that nobody is asked.
    expect(await run(3)).toMatchObject({ id: 3, result: { stopReason: "end_turn" } });
  },
);

test("a script is played after its module could not be loaded", async () => {
  await using folder = await AgentProcess.start([], {}, "text");
  const script = join(folder.home, "script.jsonl");
  await writeFile(script, `${JSON.stringify({ say: "Hello." })}\n`);
  await using agent = await AgentProcess.start(
    ["--script", script],
    failingLoads("/model/script-model.ts"),
  );
  await agent.initialize();
  const sessionId = await agent.open();
  const prompt = [{ type: "text", text: "hi" }];
  await agent.request(2, "session/prompt", { sessionId, prompt });
  expect(await agent.request(3, "session/prompt", { sessionId, prompt })).toMatchObject({
    result: { stopReason: "end_turn" },
  });
});
