import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { CHILD_UPDATES } from "../../src/acp/subagent-updates.ts";
import { Visit } from "./connected-client.ts";

const files = { "a.txt": "apples\n" };
const request = "delegate: read a.txt";

function taskCall(visit: Visit): Record<string, unknown> | undefined {
  return visit.updates("tool_call").find((update) => update["name"] === "task");
}

test("all see the task grow, and its end as seed 004 has it", async () => {
  await using visit = await Visit.make("bare", { files });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, request);
  expect(visit.updates("tool_call").map((update) => update["name"])).toEqual(["task"]);
  const updates = visit.updates("tool_call_update");
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
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("who asks for it gets the child's calls under the task's", async () => {
  const capabilities: ClientCapabilities = { _meta: { [CHILD_UPDATES]: true } };
  await using visit = await Visit.make("bare", { files, changes: { capabilities } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, request);
  const parentToolCallId = taskCall(visit)?.["toolCallId"];
  const child = visit.updates("tool_call").find((update) => update["name"] === "read");
  expect(child).toMatchObject({ _meta: { parentToolCallId } });
  expect(String(child?.["toolCallId"])).toMatch(new RegExp(`^${String(parentToolCallId)}/`));
  expect(visit.persona.wire.updates(sessionId)).toEqual(visit.persona.wire.updates());
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("who knows subagents gets the whole child under its own id", async () => {
  const capabilities = { subagents: {} } as ClientCapabilities;
  await using visit = await Visit.make("bare", { files, changes: { capabilities } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, request);
  const states = visit.updates("subagent_update");
  expect(states.map((update) => update["state"])).toEqual([
    { state: "running" },
    { state: "idle", stopReason: "end_turn" },
  ]);
  const child = String(states[0]?.["sessionId"]);
  expect(JSON.stringify(visit.persona.wire.updates(child))).toContain("apples");
  expect(JSON.stringify(visit.persona.wire.updates(sessionId))).not.toContain('"name":"read"');
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a subagent's permission is asked on the root, in its name", async () => {
  const rules = { agent: { explore: { permission: { read: "ask" } } }, local_providers: false };
  await using visit = await Visit.make("bare", {
    files,
    environment: { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(rules) },
  });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const answer = await visit.persona.prompt(sessionId, request);
  expect(answer.stopReason).toBe("end_turn");
  const [permission] = visit.persona.permissions;
  expect(permission).toMatchObject({
    sessionId,
    toolCall: {
      title: expect.stringMatching(/^Explore: /),
      content: [{ content: { text: "Asked by the Explore subagent." } }],
    },
  });
  expect(visit.persona.permissions).toHaveLength(1);
});

test("cancelling ends the child too", async () => {
  const rules = { agent: { explore: { permission: { read: "ask" } } }, local_providers: false };
  await using visit = await Visit.make("mute", {
    files,
    environment: { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(rules) },
  });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const turn = visit.persona.prompt(sessionId, request);
  await visit.persona.wire.until((message) => message["method"] === "session/request_permission");
  await visit.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(visit.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
});
