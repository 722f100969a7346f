import { spawn } from "node:child_process";
import { once } from "node:events";
import { LandlineError } from "@landline/protocol";
import { scriptedAgentCommand, shippedScenario } from "@landline/testing";
import { validateAcp } from "@landline/testing/schema";
import { expect, test } from "vitest";
import { AgentConnection } from "../../src/acp-connection/connection.ts";
import type { AgentUpdate } from "../../src/acp-connection/message.ts";
import { rpc, Wire } from "./test-peer.ts";

/** A whole conversation with a real process; the gateway's messages are checked against ACP's schema. */
test("a connection to an agent works from initialize to the end of a turn", async () => {
  const { command, args } = scriptedAgentCommand(shippedScenario("hello"));
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const updates: AgentUpdate[] = [];
  const connection = new AgentConnection(agent.stdout, agent.stdin, {
    update: (update) => updates.push(update),
    notification: () => {},
    request: (request) => request.fail(new LandlineError("method-not-found")),
    noise: ({ lines }) => expect(lines).toEqual([]),
    flush: () => {},
    closed: () => {},
  });
  expect(await connection.request("initialize", { protocolVersion: 1 })).toMatchObject({
    protocolVersion: 1,
  });
  const opened = await connection.request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const { sessionId } = opened as { sessionId: string };
  const prompt = [{ type: "text", text: "Hello" }];
  expect(await connection.request("session/prompt", { sessionId, prompt })).toMatchObject({
    stopReason: "end_turn",
  });
  expect(updates.length).toBeGreaterThan(0);
  for (const { update, raw } of updates) {
    expect(validateAcp("SessionUpdate", update)).toEqual([]);
    expect(JSON.parse(raw)).toEqual(update);
  }
  connection.end();
  expect(await once(agent, "exit")).toEqual([0, null]);
});

test("errors and cancellations match the ACP schema", async () => {
  const wire = new Wire();
  wire.onRequest = (request) =>
    request.fail(new LandlineError("file-not-found", { data: { path: "/a" } }));
  await wire.say({ ...rpc, id: 1, method: "_x" });
  wire.connection.cancel(7);
  const [error, cancel] = await wire.sent();
  expect(validateAcp("Error", error?.["error"])).toEqual([]);
  expect(validateAcp("CancelRequestNotification", cancel?.["params"])).toEqual([]);
  wire.connection.destroy();
});
