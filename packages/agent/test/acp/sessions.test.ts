import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal, ConnectedClient } from "./connected-client.ts";

const missing = "01900000-0000-7000-8000-000000000000";

test("a session is opened with its options in all three forms; its commands follow the response", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId, modes, configOptions, ...rest } = await client.persona.open(client.cwd);
  expect(modes?.currentModeId).toBe("build");
  const options = Object.fromEntries(
    (configOptions ?? []).map((option) => [option.id, option.currentValue]),
  );
  expect(options).toEqual({ mode: "build", model: "demo/guide", permissions: "ask" });
  expect(rest).toMatchObject({ models: { currentModelId: "demo/guide" } });
  const commands = await client.persona.wire.until((message) =>
    JSON.stringify(message).includes("available_commands_update"),
  );
  expect(commands).toMatchObject({ params: { sessionId } });
  expect(JSON.stringify(commands)).toContain('"name":"compact"');
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a session that could not be opened leaves no files", async () => {
  await using client = await ConnectedClient.make("bare");
  const refused = await refusal(client.persona.open(join(client.home, "nowhere")));
  expect(refused).toMatchObject({ code: -32602, data: { reason: "bad-request" } });
  expect(await client.persona.agent.request("session/list", {})).toMatchObject({ sessions: [] });
});

test("paths must be absolute", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const asked = { cwd: "relative", mcpServers: [] };
  for (const request of [
    agent.request("session/new", asked),
    agent.request("session/new", { ...asked, cwd: client.cwd, additionalDirectories: ["x"] }),
    agent.request("session/list", { cwd: "relative" }),
    agent.request("session/load", { ...asked, sessionId: missing }),
  ]) {
    expect(await refusal(request)).toMatchObject({
      code: -32602,
      data: { reason: "relative-path" },
    });
  }
});

test("an unknown session is reported by every request that needs it", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const place = { sessionId: missing, cwd: client.cwd, mcpServers: [] };
  for (const request of [
    agent.request("session/load", place),
    agent.request("session/resume", place),
    agent.request("session/fork", place),
    agent.request("session/set_mode", { sessionId: missing, modeId: "plan" }),
    client.persona.prompt(missing, "hello"),
    client.persona.prompt("../../etc/passwd", "hello"),
    agent.request("session/load", { ...place, sessionId: "../../etc/passwd" }),
  ]) {
    expect(await refusal(request)).toMatchObject({
      code: -32002,
      data: { reason: "session-not-found", code: -31900 },
    });
  }
  await client.persona.cancel(missing);
  for (const sessionId of [missing, "../../etc/passwd"]) {
    expect(await agent.request("session/close", { sessionId })).toEqual({});
    expect(await agent.request("session/delete", { sessionId })).toEqual({});
  }
});

test("closing keeps a session, deleting does not, and both can be repeated", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "think about it");
  await agent.request("session/close", { sessionId });
  await agent.request("session/close", { sessionId });
  expect(await refusal(client.persona.prompt(sessionId, "more"))).toMatchObject({ code: -32002 });
  expect(await agent.request("session/list", {})).toMatchObject({
    sessions: [{ sessionId, cwd: client.cwd, title: "Think about it" }],
  });
  await agent.request("session/delete", { sessionId });
  await agent.request("session/delete", { sessionId });
  expect(await agent.request("session/list", {})).toMatchObject({ sessions: [] });
});

test("the list is filtered by folder, paged, and refuses a cursor of another list", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const made = new Set<string>();
  for (let count = 0; count < 51; count += 1) {
    made.add((await client.persona.open(client.cwd)).sessionId);
  }
  await client.persona.open(client.home);
  const first = await agent.request("session/list", { cwd: client.cwd });
  expect(first.sessions).toHaveLength(50);
  const cursor = first.nextCursor ?? "";
  const second = await agent.request("session/list", { cwd: client.cwd, cursor });
  expect(second.nextCursor ?? null).toBeNull();
  const listed = [...first.sessions, ...second.sessions].map((session) => session.sessionId);
  expect(new Set(listed)).toEqual(made);
  for (const request of [
    agent.request("session/list", { cwd: client.home, cursor }),
    agent.request("session/list", { cursor: "rubbish" }),
  ]) {
    expect(await refusal(request)).toMatchObject({ code: -32602, data: { reason: "bad-cursor" } });
  }
});

test("session/load replays the session before its response, and session/resume does not", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "plan: one; two");
  await client.persona.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await client.leave();

  await using later = await client.again("bare");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  const loaded = await later.persona.load(sessionId, client.cwd);
  expect(loaded).not.toHaveProperty("sessionId");
  expect(loaded.modes?.currentModeId).toBe("plan");
  const kinds = kindsBeforeAnswer(later, 1);
  expect(kinds[0]).toBe("user_message_chunk");
  expect(kinds).toContain("plan");
  expect(kinds).toContain("tool_call");
  expect(kinds).not.toContain("available_commands_update");
  await later.persona.wire.until((message) =>
    JSON.stringify(message).includes("available_commands_update"),
  );
  await later.persona.wire.until((message) => JSON.stringify(message).includes("usage_update"));
  expect(later.persona.wire.faults()).toEqual([]);

  await later.persona.agent.request("session/close", { sessionId });
  const before = later.persona.wire.updates().length;
  await later.persona.agent.request("session/resume", place);
  const after = later.persona.wire.updates().slice(before);
  expect(after.filter((update) => update["sessionUpdate"] === "tool_call")).toEqual([]);
  expect(await later.persona.prompt(sessionId, "think again")).toMatchObject({
    stopReason: "end_turn",
  });
});

test("a fork continues independently", async () => {
  await using client = await ConnectedClient.make("bare");
  const { agent } = client.persona;
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "think about apples");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  const fork = await client.persona.fork(sessionId, client.cwd);
  expect(fork.sessionId).not.toBe(sessionId);
  await client.persona.prompt(fork.sessionId, "think about pears");
  await agent.request("session/close", { sessionId: fork.sessionId });
  const before = client.persona.wire.updates().length;
  await agent.request("session/load", { ...place, sessionId: fork.sessionId });
  const shown = JSON.stringify(client.persona.wire.updates().slice(before));
  expect(shown).toContain("apples");
  expect(shown).toContain("pears");
  const again = client.persona.wire.updates().length;
  await agent.request("session/load", place);
  expect(JSON.stringify(client.persona.wire.updates().slice(again))).not.toContain("pears");
});

test("a session that another process has open is locked", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  await using other = await client.again("bare");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  expect(await refusal(other.persona.agent.request("session/load", place))).toMatchObject({
    code: -32602,
    data: { reason: "session-locked", code: -31902 },
  });
});

test("the session of a subagent is not listed, but can be loaded", async () => {
  await using client = await ConnectedClient.make("bare", { files: { "a.txt": "apples\n" } });
  const { agent } = client.persona;
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "delegate: read a.txt");
  const task = client
    .updates("tool_call_update")
    .find((update) => update["status"] === "completed" && "rawOutput" in update);
  const { metadata } = (task?.["rawOutput"] ?? {}) as { metadata?: Record<string, string> };
  const child = metadata?.["sessionId"] ?? "";
  const list = await agent.request("session/list", {});
  expect(list.sessions.map((session) => session.sessionId)).toEqual([sessionId]);
  await agent.request("session/load", { sessionId: child, cwd: client.cwd, mcpServers: [] });
  expect(JSON.stringify(client.persona.wire.updates(child))).toContain("apples");
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a damaged file is an internal error, and is not changed", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "think");
  await client.leave();
  const file = join(client.home, ".local/share/landline/agent/sessions", `${sessionId}.jsonl`);
  const text = await readFile(file, "utf8");
  const broken = text.replace("\n", "\n{this is not JSON}\n");
  await writeFile(file, broken);
  await using later = await client.again("bare");
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  expect(await refusal(later.persona.agent.request("session/load", place))).toMatchObject({
    code: -32603,
    data: { reason: "broken" },
  });
  expect(await readFile(file, "utf8")).toBe(broken);
});

function kindsBeforeAnswer(client: ConnectedClient, id: number): string[] {
  const { messages } = client.persona.wire;
  const end = messages.findIndex(
    ({ from, message }) => from === "agent" && message["id"] === id && !("method" in message),
  );
  return messages.slice(0, end).flatMap(({ message }) => {
    const update = (message["params"] as { update?: { sessionUpdate: string } } | undefined)
      ?.update;
    return update ? [update.sessionUpdate] : [];
  });
}
