import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
} from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { scriptedAgentCommand, shippedScenario } from "./command.ts";

/** The SDK's own client is the strictest reader: it drops or refuses what it does not know. */
test("the SDK's client completes the tour", async () => {
  const { command, args } = scriptedAgentCommand(shippedScenario("tour"));
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const stream = ndJsonStream(
    Writable.toWeb(agent.stdin),
    Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
  );
  const kinds = new Set<string>();
  const asked: string[] = [];
  await client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      kinds.add(params.update.sessionUpdate);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.toolCallId);
      return { outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } };
    })
    .connectWith(stream, async (connection) => {
      const hello = await connection.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
      });
      expect(hello.agentInfo?.name).toBe("tour");
      const { sessionId } = await connection.request(methods.agent.session.new, {
        cwd: "/repo",
        mcpServers: [],
      });
      const prompt = [{ type: "text" as const, text: "go" }];
      const params = { sessionId, prompt };
      const ended = await connection.request(methods.agent.session.prompt, params);
      expect((ended as PromptResponse).stopReason).toBe("end_turn");
      // This client may return a response before the updates that precede it.
      await expect.poll(() => kinds).toContain("usage_update");
    });
  expect(asked).toHaveLength(1);
  expect([...kinds].toSorted()).toEqual([
    "agent_message_chunk",
    "agent_thought_chunk",
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "plan",
    "session_info_update",
    "tool_call",
    "tool_call_update",
    "usage_update",
  ]);
  agent.stdin.end();
  if (agent.exitCode === null) await once(agent, "exit");
  expect(agent.exitCode).toBe(0);
});
