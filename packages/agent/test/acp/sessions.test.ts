import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal, Visit } from "./connected-client.ts";

const missing = "01900000-0000-7000-8000-000000000000";

test("a session is opened with its options in all three forms, and its commands come after the answer", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId, modes, configOptions, ...rest } = await visit.persona.open(visit.cwd);
  expect(modes?.currentModeId).toBe("build");
  const options = Object.fromEntries(
    (configOptions ?? []).map((option) => [option.id, option.currentValue]),
  );
  expect(options).toEqual({ mode: "build", model: "demo/guide", permissions: "ask" });
  expect(rest).toMatchObject({ models: { currentModelId: "demo/guide" } });
  const commands = await visit.persona.wire.until((message) =>
    JSON.stringify(message).includes("available_commands_update"),
  );
  expect(commands).toMatchObject({ params: { sessionId } });
  expect(JSON.stringify(commands)).toContain('"name":"compact"');
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a session that could not be opened is nowhere", async () => {
  await using visit = await Visit.make("bare");
  const refused = await refusal(visit.persona.open(join(visit.home, "nowhere")));
  expect(refused).toMatchObject({ code: -32602, data: { reason: "bad-request" } });
  expect(await visit.persona.agent.request("session/list", {})).toMatchObject({ sessions: [] });
});

test("paths must be absolute", async () => {
  await using visit = await Visit.make("bare");
  const { agent } = visit.persona;
  const asked = { cwd: "relative", mcpServers: [] };
  for (const request of [
    agent.request("session/new", asked),
    agent.request("session/new", { ...asked, cwd: visit.cwd, additionalDirectories: ["x"] }),
    agent.request("session/list", { cwd: "relative" }),
    agent.request("session/load", { ...asked, sessionId: missing }),
  ]) {
    expect(await refusal(request)).toMatchObject({
      code: -32602,
      data: { reason: "relative-path" },
    });
  }
});

test("a session that is not there is told as such, everywhere but where it does not matter", async () => {
  await using visit = await Visit.make("bare");
  const { agent } = visit.persona;
  const place = { sessionId: missing, cwd: visit.cwd, mcpServers: [] };
  for (const request of [
    agent.request("session/load", place),
    agent.request("session/resume", place),
    agent.request("session/fork", place),
    agent.request("session/set_mode", { sessionId: missing, modeId: "plan" }),
    visit.persona.prompt(missing, "hello"),
    visit.persona.prompt("../../etc/passwd", "hello"),
    agent.request("session/load", { ...place, sessionId: "../../etc/passwd" }),
  ]) {
    expect(await refusal(request)).toMatchObject({
      code: -32002,
      data: { reason: "session-not-found", code: -31900 },
    });
  }
  await visit.persona.cancel(missing);
  for (const sessionId of [missing, "../../etc/passwd"]) {
    expect(await agent.request("session/close", { sessionId })).toEqual({});
    expect(await agent.request("session/delete", { sessionId })).toEqual({});
  }
});

test("closing keeps a session, deleting does not, and both can be said twice", async () => {
  await using visit = await Visit.make("bare");
  const { agent } = visit.persona;
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "think about it");
  await agent.request("session/close", { sessionId });
  await agent.request("session/close", { sessionId });
  expect(await refusal(visit.persona.prompt(sessionId, "more"))).toMatchObject({ code: -32002 });
  expect(await agent.request("session/list", {})).toMatchObject({
    sessions: [{ sessionId, cwd: visit.cwd, title: "Think about it" }],
  });
  await agent.request("session/delete", { sessionId });
  await agent.request("session/delete", { sessionId });
  expect(await agent.request("session/list", {})).toMatchObject({ sessions: [] });
});

test("the list is of a folder, comes in pages, and refuses a cursor of another list", async () => {
  await using visit = await Visit.make("bare");
  const { agent } = visit.persona;
  const made = new Set<string>();
  for (let count = 0; count < 51; count += 1) {
    made.add((await visit.persona.open(visit.cwd)).sessionId);
  }
  await visit.persona.open(visit.home);
  const first = await agent.request("session/list", { cwd: visit.cwd });
  expect(first.sessions).toHaveLength(50);
  const cursor = first.nextCursor ?? "";
  const second = await agent.request("session/list", { cwd: visit.cwd, cursor });
  expect(second.nextCursor ?? null).toBeNull();
  const listed = [...first.sessions, ...second.sessions].map((session) => session.sessionId);
  expect(new Set(listed)).toEqual(made);
  for (const request of [
    agent.request("session/list", { cwd: visit.home, cursor }),
    agent.request("session/list", { cursor: "rubbish" }),
  ]) {
    expect(await refusal(request)).toMatchObject({ code: -32602, data: { reason: "bad-cursor" } });
  }
});

test("what is loaded is shown again before the answer, and resuming shows nothing", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "plan: one; two");
  await visit.persona.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await visit.leave();

  await using later = await visit.again("bare");
  const place = { sessionId, cwd: visit.cwd, mcpServers: [] };
  const loaded = await later.persona.load(sessionId, visit.cwd);
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

test("a fork goes its own way", async () => {
  await using visit = await Visit.make("bare");
  const { agent } = visit.persona;
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "think about apples");
  const place = { sessionId, cwd: visit.cwd, mcpServers: [] };
  const fork = await visit.persona.fork(sessionId, visit.cwd);
  expect(fork.sessionId).not.toBe(sessionId);
  await visit.persona.prompt(fork.sessionId, "think about pears");
  await agent.request("session/close", { sessionId: fork.sessionId });
  const before = visit.persona.wire.updates().length;
  await agent.request("session/load", { ...place, sessionId: fork.sessionId });
  const shown = JSON.stringify(visit.persona.wire.updates().slice(before));
  expect(shown).toContain("apples");
  expect(shown).toContain("pears");
  const again = visit.persona.wire.updates().length;
  await agent.request("session/load", place);
  expect(JSON.stringify(visit.persona.wire.updates().slice(again))).not.toContain("pears");
});

test("a session that another process has open is locked", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await using other = await visit.again("bare");
  const place = { sessionId, cwd: visit.cwd, mcpServers: [] };
  expect(await refusal(other.persona.agent.request("session/load", place))).toMatchObject({
    code: -32602,
    data: { reason: "session-locked", code: -31902 },
  });
});

test("the session of a subagent is not listed, and can be loaded", async () => {
  await using visit = await Visit.make("bare", { files: { "a.txt": "apples\n" } });
  const { agent } = visit.persona;
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "delegate: read a.txt");
  const task = visit
    .updates("tool_call_update")
    .find((update) => update["status"] === "completed" && "rawOutput" in update);
  const { metadata } = (task?.["rawOutput"] ?? {}) as { metadata?: Record<string, string> };
  const child = metadata?.["sessionId"] ?? "";
  const list = await agent.request("session/list", {});
  expect(list.sessions.map((session) => session.sessionId)).toEqual([sessionId]);
  await agent.request("session/load", { sessionId: child, cwd: visit.cwd, mcpServers: [] });
  expect(JSON.stringify(visit.persona.wire.updates(child))).toContain("apples");
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a broken file is told as ours to mend, and left as it is", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "think");
  await visit.leave();
  const file = join(visit.home, ".local/share/landline/agent/sessions", `${sessionId}.jsonl`);
  const text = await readFile(file, "utf8");
  const broken = text.replace("\n", "\n{this is not JSON}\n");
  await writeFile(file, broken);
  await using later = await visit.again("bare");
  const place = { sessionId, cwd: visit.cwd, mcpServers: [] };
  expect(await refusal(later.persona.agent.request("session/load", place))).toMatchObject({
    code: -32603,
    data: { reason: "broken" },
  });
  expect(await readFile(file, "utf8")).toBe(broken);
});

function kindsBeforeAnswer(visit: Visit, id: number): string[] {
  const { messages } = visit.persona.wire;
  const end = messages.findIndex(
    ({ from, message }) => from === "agent" && message["id"] === id && !("method" in message),
  );
  return messages.slice(0, end).flatMap(({ message }) => {
    const update = (message["params"] as { update?: { sessionUpdate: string } } | undefined)
      ?.update;
    return update ? [update.sessionUpdate] : [];
  });
}
