import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { CHILD_UPDATES } from "../../src/acp/subagent-updates.ts";
import { ConnectedClient } from "./connected-client.ts";

const files = { "a.txt": "apples\n" };
const request = "delegate: read a.txt";

function taskCall(client: ConnectedClient): Record<string, unknown> | undefined {
  return client.updates("tool_call").find((update) => update["name"] === "task");
}

test("every client receives the progress of the task, and its end in the form of seed 004", async () => {
  await using client = await ConnectedClient.make("bare", { files });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, request);
  expect(client.updates("tool_call").map((update) => update["name"])).toEqual(["task"]);
  const updates = client.updates("tool_call_update");
  expect(updates.find((update) => "rawInput" in update)).toMatchObject({
    kind: "think",
    rawInput: { subagent_type: "explore" },
  });
  expect(JSON.stringify(updates.filter((update) => update["status"] === "in_progress"))).toContain(
    "a.txt",
  );
  const { rawOutput } = updates.at(-1) ?? {};
  const named = updates.find((update) => "_meta" in update)?.["_meta"];
  const { sessionId: child } = (named as { subagent: { sessionId: string } }).subagent;
  expect(named).toEqual({ subagent: { sessionId: child, type: "explore" } });
  expect(rawOutput).toMatchObject({
    metadata: { sessionId: child, parentSessionId: sessionId, summary: [{ tool: "read" }] },
  });
  expect(JSON.stringify(rawOutput)).toContain("<task_metadata>");
  expect(client.persona.wire.faults()).toEqual([]);
});

test("with the capability, the subagent's calls appear below the task", async () => {
  const capabilities: ClientCapabilities = { _meta: { [CHILD_UPDATES]: true } };
  await using client = await ConnectedClient.make("bare", { files, changes: { capabilities } });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, request);
  const parentToolCallId = taskCall(client)?.["toolCallId"];
  const child = client.updates("tool_call").find((update) => update["name"] === "read");
  expect(child).toMatchObject({ _meta: { parentToolCallId } });
  expect(String(child?.["toolCallId"])).toMatch(new RegExp(`^${String(parentToolCallId)}/`));
  expect(client.persona.wire.updates(sessionId)).toEqual(client.persona.wire.updates());
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a client with subagent support receives the subagent under its own id", async () => {
  const capabilities = { subagents: {} } as ClientCapabilities;
  await using client = await ConnectedClient.make("bare", { files, changes: { capabilities } });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, request);
  const states = client.updates("subagent_update");
  expect(states.map((update) => update["state"])).toEqual([
    { state: "running" },
    { state: "idle", stopReason: "end_turn" },
  ]);
  const child = String(states[0]?.["sessionId"]);
  expect(JSON.stringify(client.persona.wire.updates(child))).toContain("apples");
  expect(JSON.stringify(client.persona.wire.updates(sessionId))).not.toContain('"name":"read"');
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a subagent's permission request is sent on the root session, in its name", async () => {
  const rules = { agent: { explore: { permission: { read: "ask" } } }, local_providers: false };
  await using client = await ConnectedClient.make("bare", {
    files,
    environment: { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(rules) },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  const answer = await client.persona.prompt(sessionId, request);
  expect(answer.stopReason).toBe("end_turn");
  const [permission] = client.persona.permissions;
  expect(permission).toMatchObject({
    sessionId,
    toolCall: {
      title: expect.stringMatching(/^Explore: /),
      content: [{ content: { text: "Asked by the Explore subagent." } }],
    },
  });
  expect(client.persona.permissions).toHaveLength(1);
});

test("cancelling ends the child too", async () => {
  const rules = { agent: { explore: { permission: { read: "ask" } } }, local_providers: false };
  await using client = await ConnectedClient.make("mute", {
    files,
    environment: { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(rules) },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  const turn = client.persona.prompt(sessionId, request);
  await client.persona.wire.until((message) => message["method"] === "session/request_permission");
  await client.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(client.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
});
