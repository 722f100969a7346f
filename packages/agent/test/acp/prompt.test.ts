import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal, ConnectedClient } from "./connected-client.ts";

const hasKind = (kind: string) => (message: object) =>
  JSON.stringify(message).includes(`"${kind}"`);

test("a whole turn: thoughts, plan, calls, usage, and the answer last", async () => {
  await using client = await ConnectedClient.make("full", { files: { "a.txt": "apples\n" } });
  const { sessionId } = await client.persona.open(client.cwd);
  const answer = await client.persona.prompt(sessionId, "think hard then read a.txt");
  expect(answer.stopReason).toBe("end_turn");
  expect(answer.usage?.totalTokens).toBeGreaterThan(0);
  expect(client.updates("agent_thought_chunk").length).toBeGreaterThan(0);
  expect(client.updates("usage_update").length).toBeGreaterThan(0);
  const [call] = client.updates("tool_call");
  const statuses = client
    .updates("tool_call_update")
    .filter((update) => update["toolCallId"] === call?.["toolCallId"])
    .map((update) => update["status"]);
  expect(call).toMatchObject({ status: "pending", name: "read" });
  expect(statuses).toEqual(["pending", "in_progress", "completed"]);
  expect(client.persona.reads).toEqual([join(client.cwd, "a.txt")]);
  expect(client.persona.wire.faults()).toEqual([]);
});

test("an edit is shown with its diff before it is made, and is made once, through the client", async () => {
  await using client = await ConnectedClient.make("full", { files: { "a.txt": "one apple\n" } });
  const path = join(client.cwd, "a.txt");
  client.persona.buffers.set(path, "one unsaved apple\n");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  const diff = {
    type: "diff",
    path,
    oldText: "one unsaved apple\n",
    newText: "one unsaved pear\n",
  };
  expect(client.persona.permissions).toMatchObject([
    { sessionId, toolCall: { status: "pending", kind: "edit", content: [diff] } },
  ]);
  expect(client.persona.writes).toEqual([path]);
  expect(client.persona.buffers.get(path)).toBe("one unsaved pear\n");
  const ended = client.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed", content: [diff], locations: [{ path }] });
  expect(client.persona.wire.faults()).toEqual([]);
});

test("without file support of the client, the edit goes to the disk", async () => {
  await using client = await ConnectedClient.make("bare", { files: { "a.txt": "one apple\n" } });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  expect(await readFile(join(client.cwd, "a.txt"), "utf8")).toBe("one pear\n");
  expect(client.persona.writes).toEqual([]);
});

test("a refusal is respected, and the turn continues", async () => {
  await using client = await ConnectedClient.make("rejecting", {
    files: { "a.txt": "one apple\n" },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  const answer = await client.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  expect(answer.stopReason).toBe("end_turn");
  expect(await readFile(join(client.cwd, "a.txt"), "utf8")).toBe("one apple\n");
  expect(client.updates("tool_call_update").at(-1)).toMatchObject({
    status: "failed",
    content: [{ type: "content", content: { type: "text", text: "Rejected." } }],
    rawOutput: { error: "Rejected.", reason: "rejected" },
  });
  const said = JSON.stringify(client.persona.wire.messages);
  expect(said).toContain("You said no");
  expect(said).not.toContain("Do not try it");
});

test("“always” applies to the session only", async () => {
  await using client = await ConnectedClient.make("bare", {
    changes: { permission: "allow_always" },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "create a.txt: one then create b.txt: two");
  expect(client.persona.permissions).toHaveLength(1);
  expect(client.persona.permissions[0]?.options).toMatchObject([
    { name: "Allow", kind: "allow_once" },
    { name: "Always allow edits in this session", kind: "allow_always" },
    { name: "Reject", kind: "reject_once" },
    { name: "Never allow edits in this session", kind: "reject_always" },
  ]);
  const other = await client.persona.open(client.cwd);
  await client.persona.prompt(other.sessionId, "create c.txt: three");
  expect(client.persona.permissions).toHaveLength(2);
});

test("a single omitted reason is counted as one", async () => {
  const command = "cat /a/1 /b/2 /c/3 /d/4";
  await using client = await ConnectedClient.make("bare", {
    script: [{ calls: [{ tool: "bash", input: { command } }] }, { say: "Done." }],
    changes: { permission: "reject_once" },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "go");
  const content = JSON.stringify(client.persona.permissions[0]?.toolCall.content);
  expect(content).toContain("; 1 more reason.");
});

test("a credential is named among the first reasons, however many places a command names", async () => {
  const command = "cat /a/1 /b/2 /c/3 /d/4 .env";
  await using client = await ConnectedClient.make("bare", {
    files: { ".env": "KEY=1" },
    script: [{ calls: [{ tool: "bash", input: { command } }] }, { say: "Done." }],
    changes: { permission: "reject_once" },
  });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "go");
  expect(client.persona.permissions).toHaveLength(1);
  const content = JSON.stringify(client.persona.permissions[0]?.toolCall.content);
  expect(content).toMatch(/Asked because \.env may hold passwords or keys; .* \d more reasons\./);
});

test("a client that never answers can still cancel", async () => {
  await using client = await ConnectedClient.make("mute");
  const { sessionId } = await client.persona.open(client.cwd);
  const turn = client.persona.prompt(sessionId, "create a.txt: one");
  await client.persona.wire.until(hasKind("session/request_permission"));
  await client.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(client.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(await client.persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a cancel directly after the prompt cancels it; one before or after it does nothing", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.cancel(sessionId);
  const turn = client.persona.prompt(sessionId, "think about it");
  await client.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await client.persona.cancel(sessionId);
  expect(await client.persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
});

test("prompts are queued, and a cancel empties the queue", async () => {
  await using client = await ConnectedClient.make("mute");
  const { sessionId } = await client.persona.open(client.cwd);
  const [first, second] = [
    client.persona.prompt(sessionId, "think of apples"),
    client.persona.prompt(sessionId, "think of pears"),
  ];
  expect(await Promise.all([first, second])).toMatchObject([
    { stopReason: "end_turn" },
    { stopReason: "end_turn" },
  ]);
  const said = JSON.stringify(client.persona.wire.updates());
  expect(said.indexOf("apples")).toBeLessThan(said.indexOf("pears"));
  const waiting = [
    client.persona.prompt(sessionId, "create a.txt: one"),
    client.persona.prompt(sessionId, "think"),
  ];
  await client.persona.wire.until(hasKind("session/request_permission"));
  await client.persona.cancel(sessionId);
  expect(await Promise.all(waiting)).toMatchObject([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
});

test("a busy session is not loaded, and closing it cancels its turn", async () => {
  await using client = await ConnectedClient.make("mute");
  const { sessionId } = await client.persona.open(client.cwd);
  const turn = client.persona.prompt(sessionId, "create a.txt: one");
  await client.persona.wire.until(hasKind("session/request_permission"));
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  expect(await refusal(client.persona.agent.request("session/load", place))).toMatchObject({
    code: -32602,
    data: { reason: "session-locked" },
  });
  await client.persona.agent.request("session/close", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
});

test("cancelling the request by its id ends the turn", async () => {
  await using client = await ConnectedClient.make("mute");
  const { sessionId } = await client.persona.open(client.cwd);
  const stop = new AbortController();
  const prompt = [{ type: "text" as const, text: "create a.txt: one" }];
  const turn = client.persona.agent.request(
    "session/prompt",
    { sessionId, prompt },
    { cancellationSignal: stop.signal },
  );
  await client.persona.wire.until(hasKind("session/request_permission"));
  stop.abort();
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
});

test("a slow client receives everything in order", async () => {
  await using client = await ConnectedClient.make("slow", { files: { "a.txt": "one apple\n" } });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt then read a.txt');
  expect(client.persona.wire.faults()).toEqual([]);
  expect(await readFile(join(client.cwd, "a.txt"), "utf8")).toBe("one pear\n");
});

test("an editor that is limited to its worktree is not asked for files outside", async () => {
  await using client = await ConnectedClient.make("strict", { files: { "a.txt": "apples\n" } });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, `read a.txt then read ${import.meta.filename}`);
  expect(client.persona.reads).toEqual([join(client.cwd, "a.txt")]);
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a slash that is not a command starts a prompt", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  const answer = await client.persona.prompt(sessionId, "/no/such/command please");
  expect(answer.stopReason).toBe("end_turn");
  expect(client.said()).not.toBe("");
  await client.persona.prompt(sessionId, "/status");
  expect(client.said()).toContain("Folder:");
});
