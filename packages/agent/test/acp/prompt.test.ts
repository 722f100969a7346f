import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal, Visit } from "./connected-client.ts";

const hasKind = (kind: string) => (message: object) =>
  JSON.stringify(message).includes(`"${kind}"`);

test("a whole turn: thoughts, plan, calls, use, and the answer last", async () => {
  await using visit = await Visit.make("full", { files: { "a.txt": "apples\n" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const answer = await visit.persona.prompt(sessionId, "think hard then read a.txt");
  expect(answer.stopReason).toBe("end_turn");
  expect(answer.usage?.totalTokens).toBeGreaterThan(0);
  expect(visit.updates("agent_thought_chunk").length).toBeGreaterThan(0);
  expect(visit.updates("usage_update").length).toBeGreaterThan(0);
  const [call] = visit.updates("tool_call");
  const statuses = visit
    .updates("tool_call_update")
    .filter((update) => update["toolCallId"] === call?.["toolCallId"])
    .map((update) => update["status"]);
  expect(call).toMatchObject({ status: "pending", name: "read" });
  expect(statuses).toEqual(["pending", "in_progress", "completed"]);
  expect(visit.persona.reads).toEqual([join(visit.cwd, "a.txt")]);
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("an edit is shown with its diff before it is made, and is made once, through the client", async () => {
  await using visit = await Visit.make("full", { files: { "a.txt": "one apple\n" } });
  const path = join(visit.cwd, "a.txt");
  visit.persona.buffers.set(path, "one unsaved apple\n");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  const diff = {
    type: "diff",
    path,
    oldText: "one unsaved apple\n",
    newText: "one unsaved pear\n",
  };
  expect(visit.persona.permissions).toMatchObject([
    { sessionId, toolCall: { status: "pending", kind: "edit", content: [diff] } },
  ]);
  expect(visit.persona.writes).toEqual([path]);
  expect(visit.persona.buffers.get(path)).toBe("one unsaved pear\n");
  const ended = visit.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed", content: [diff], locations: [{ path }] });
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("who offers no files gets the edit on disk", async () => {
  await using visit = await Visit.make("bare", { files: { "a.txt": "one apple\n" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  expect(await readFile(join(visit.cwd, "a.txt"), "utf8")).toBe("one pear\n");
  expect(visit.persona.writes).toEqual([]);
});

test("who says no is obeyed, and the turn goes on", async () => {
  await using visit = await Visit.make("rejecting", { files: { "a.txt": "one apple\n" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const answer = await visit.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  expect(answer.stopReason).toBe("end_turn");
  expect(await readFile(join(visit.cwd, "a.txt"), "utf8")).toBe("one apple\n");
  expect(visit.updates("tool_call_update").at(-1)).toMatchObject({
    status: "failed",
    content: [{ type: "content", content: { type: "text", text: "Rejected." } }],
    rawOutput: { error: "Rejected.", reason: "rejected" },
  });
  const said = JSON.stringify(visit.persona.wire.messages);
  expect(said).toContain("You said no");
  expect(said).not.toContain("Do not try it");
});

test("“always” holds for the session, and for no other", async () => {
  await using visit = await Visit.make("bare", { changes: { permission: "allow_always" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "create a.txt: one then create b.txt: two");
  expect(visit.persona.permissions).toHaveLength(1);
  expect(visit.persona.permissions[0]?.options).toMatchObject([
    { name: "Allow", kind: "allow_once" },
    { name: "Always allow edits in this session", kind: "allow_always" },
    { name: "Reject", kind: "reject_once" },
    { name: "Never allow edits in this session", kind: "reject_always" },
  ]);
  const other = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(other.sessionId, "create c.txt: three");
  expect(visit.persona.permissions).toHaveLength(2);
});

test("a single reason that is left out is counted as one", async () => {
  const command = "cat /a/1 /b/2 /c/3 /d/4";
  await using visit = await Visit.make("bare", {
    script: [{ calls: [{ tool: "bash", input: { command } }] }, { say: "Done." }],
    changes: { permission: "reject_once" },
  });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "go");
  const content = JSON.stringify(visit.persona.permissions[0]?.toolCall.content);
  expect(content).toContain("; 1 more reason.");
});

test("a credential is named among the first reasons, however many places a command names", async () => {
  const command = "cat /a/1 /b/2 /c/3 /d/4 .env";
  await using visit = await Visit.make("bare", {
    files: { ".env": "KEY=1" },
    script: [{ calls: [{ tool: "bash", input: { command } }] }, { say: "Done." }],
    changes: { permission: "reject_once" },
  });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "go");
  expect(visit.persona.permissions).toHaveLength(1);
  const content = JSON.stringify(visit.persona.permissions[0]?.toolCall.content);
  expect(content).toMatch(/Asked because \.env may hold passwords or keys; .* \d more reasons\./);
});

test("a client that never answers can still cancel", async () => {
  await using visit = await Visit.make("mute");
  const { sessionId } = await visit.persona.open(visit.cwd);
  const turn = visit.persona.prompt(sessionId, "create a.txt: one");
  await visit.persona.wire.until(hasKind("session/request_permission"));
  await visit.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(visit.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(await visit.persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a cancel right behind the prompt cancels it; one before or after it does nothing", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.cancel(sessionId);
  const turn = visit.persona.prompt(sessionId, "think about it");
  await visit.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await visit.persona.cancel(sessionId);
  expect(await visit.persona.prompt(sessionId, "think")).toMatchObject({ stopReason: "end_turn" });
});

test("prompts wait for each other, and a cancel empties the queue", async () => {
  await using visit = await Visit.make("mute");
  const { sessionId } = await visit.persona.open(visit.cwd);
  const [first, second] = [
    visit.persona.prompt(sessionId, "think of apples"),
    visit.persona.prompt(sessionId, "think of pears"),
  ];
  expect(await Promise.all([first, second])).toMatchObject([
    { stopReason: "end_turn" },
    { stopReason: "end_turn" },
  ]);
  const said = JSON.stringify(visit.persona.wire.updates());
  expect(said.indexOf("apples")).toBeLessThan(said.indexOf("pears"));
  const waiting = [
    visit.persona.prompt(sessionId, "create a.txt: one"),
    visit.persona.prompt(sessionId, "think"),
  ];
  await visit.persona.wire.until(hasKind("session/request_permission"));
  await visit.persona.cancel(sessionId);
  expect(await Promise.all(waiting)).toMatchObject([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
});

test("a session that is busy is not loaded, and closing it cancels", async () => {
  await using visit = await Visit.make("mute");
  const { sessionId } = await visit.persona.open(visit.cwd);
  const turn = visit.persona.prompt(sessionId, "create a.txt: one");
  await visit.persona.wire.until(hasKind("session/request_permission"));
  const place = { sessionId, cwd: visit.cwd, mcpServers: [] };
  expect(await refusal(visit.persona.agent.request("session/load", place))).toMatchObject({
    code: -32602,
    data: { reason: "session-locked" },
  });
  await visit.persona.agent.request("session/close", { sessionId });
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
});

test("a request that is cancelled by its id ends the turn", async () => {
  await using visit = await Visit.make("mute");
  const { sessionId } = await visit.persona.open(visit.cwd);
  const stop = new AbortController();
  const prompt = [{ type: "text" as const, text: "create a.txt: one" }];
  const turn = visit.persona.agent.request(
    "session/prompt",
    { sessionId, prompt },
    { cancellationSignal: stop.signal },
  );
  await visit.persona.wire.until(hasKind("session/request_permission"));
  stop.abort();
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
});

test("a slow client gets everything, in order", async () => {
  await using visit = await Visit.make("slow", { files: { "a.txt": "one apple\n" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt then read a.txt');
  expect(visit.persona.wire.faults()).toEqual([]);
  expect(await readFile(join(visit.cwd, "a.txt"), "utf8")).toBe("one pear\n");
});

test("an editor that keeps to its worktree is not asked for files outside", async () => {
  await using visit = await Visit.make("strict", { files: { "a.txt": "apples\n" } });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, `read a.txt then read ${import.meta.filename}`);
  expect(visit.persona.reads).toEqual([join(visit.cwd, "a.txt")]);
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a slash that begins no command begins a prompt", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  const answer = await visit.persona.prompt(sessionId, "/no/such/command please");
  expect(answer.stopReason).toBe("end_turn");
  expect(visit.said()).not.toBe("");
  await visit.persona.prompt(sessionId, "/status");
  expect(visit.said()).toContain("Folder:");
});
