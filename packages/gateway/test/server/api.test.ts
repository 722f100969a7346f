import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionEvent } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDoors, type TestDoors } from "./door-services.ts";
import type { FakeSession } from "./fake-sessions.ts";
import { feed } from "../index/feed.ts";

let test: TestDoors;
beforeEach(async () => {
  test = await openTestDoors();
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const openSession = (cwd = "/repo"): Promise<FakeSession> =>
  test.sessions.open({ agent: "scripted", cwd, by: "tester" });

async function lastEvent(session: FakeSession): Promise<SessionEvent> {
  const chunk = await session.log.page(session.log.head + 1, 1);
  return JSON.parse(chunk!.bytes.toString()) as SessionEvent;
}

const post = (path: string, body?: unknown) =>
  test.ask(path, { method: "POST", ...(body === undefined ? {} : { body }) });

describe("the gateway", () => {
  it("says that it is well", async () => {
    const answer = await test.ask("/api/health");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: "ok", limits: "default" });
  });

  it("lists its agents", async () => {
    expect(await (await test.ask("/api/agents")).json()).toEqual({ agents: [] });
  });

  it("counts what it refuses", async () => {
    await test.ask("/api/nothing");
    const answer = await test.ask("/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(await answer.text()).toContain('landline_errors_total{code="method-not-found"} 1');
  });
});

describe("sessions", () => {
  it("are opened, and then they are in the list", async () => {
    const answer = await post("/api/sessions", { agent: "scripted", cwd: "/repo", title: "One" });
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as { sessionId: string };
    expect(made).toMatchObject({ agent: "scripted", cwd: "/repo", title: "One" });
    expect(answer.headers.get("location")).toBe(`/api/sessions/${made.sessionId}`);
    await openSession("/other");
    const list = await test.ask("/api/sessions?cwd=/repo");
    expect(await list.json()).toMatchObject({ sessions: [{ sessionId: made.sessionId }] });
  });

  it("were opened by whoever has the token", async () => {
    const wanted = { agent: "scripted", cwd: "/repo" };
    const answer = await post("/api/sessions", wanted);
    const { sessionId } = (await answer.json()) as { sessionId: string };
    const session = await test.sessions.get(sessionId);
    expect(await lastEvent(session)).toMatchObject({ by: test.tokens.list()[0]?.id });
    const forged = await post("/api/sessions", { ...wanted, by: "somebody else" });
    expect(await forged.json()).toMatchObject({ code: "invalid-params", field: "by" });
  });

  it("are shown with their view, renamed, closed and erased", async () => {
    const session = await openSession();
    const path = `/api/sessions/${session.id}`;
    expect(await (await test.ask(path)).json()).toMatchObject({
      sessionId: session.id,
      view: { head: 1, session: { cwd: "/repo" } },
    });
    const renamed = await test.ask(path, { method: "PATCH", body: { title: "New" } });
    expect(await renamed.json()).toMatchObject({ title: "New" });
    expect((await test.ask(path, { method: "DELETE" })).status).toBe(204);
    expect(await lastEvent(session)).toMatchObject({ kind: "session-closed" });
    expect((await test.ask(path)).status).toBe(200);
    expect((await test.ask(`${path}?erase=true`, { method: "DELETE" })).status).toBe(204);
    expect((await test.ask(path)).status).toBe(404);
  });

  it("are forked into new ones", async () => {
    const session = await openSession();
    const answer = await post(`/api/sessions/${session.id}/fork`);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ parent: session.id });
  });

  it("pass an agent's refusal on as the error that it is", async () => {
    const answer = await post("/api/sessions", { agent: "missing", cwd: "/repo" });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "agent-not-found" });
  });
});

describe("prompts", () => {
  it("are queued as text or blocks, with an id of the client's or of ours", async () => {
    const session = await openSession();
    const path = `/api/sessions/${session.id}/prompts`;
    const given = await post(path, { promptId: "p1", content: "hello" });
    expect(given.status).toBe(202);
    expect(await given.json()).toEqual({ promptId: "p1" });
    expect(await lastEvent(session)).toMatchObject({
      kind: "prompt-queued",
      promptId: "p1",
      content: [{ type: "text", text: "hello" }],
    });
    const made = await post(path, { content: [{ type: "text", text: "again" }] });
    expect(await made.json()).toEqual({
      promptId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it("are changed and withdrawn by their id, whatever characters it has", async () => {
    const session = await openSession();
    const promptId = "a/b ü?#";
    await post(`/api/sessions/${session.id}/prompts`, { promptId, content: "one" });
    const path = `/api/sessions/${session.id}/prompts/${encodeURIComponent(promptId)}`;
    const changed = await test.ask(path, { method: "PATCH", body: { content: "two" } });
    expect(await changed.json()).toEqual({ promptId });
    expect((await test.ask(path, { method: "DELETE" })).status).toBe(204);
    expect(await lastEvent(session)).toMatchObject({ kind: "prompt-withdrawn", promptId });
    const unknown = await test.ask(`${path}x`, { method: "DELETE" });
    expect(unknown.status).toBe(404);
  });

  it("change places", async () => {
    const session = await openSession();
    const path = `/api/sessions/${session.id}/prompts`;
    for (const promptId of ["p1", "p2"]) await post(path, { promptId, content: "x" });
    const move = (body: unknown) => test.ask(`${path}/p2`, { method: "PATCH", body });
    const moved = await move({ before: "p1" });
    expect([moved.status, await moved.json()]).toEqual([200, { promptId: "p2" }]);
    expect(await lastEvent(session)).toMatchObject({ kind: "prompt-moved", before: "p1" });
    expect((await session.view()).queue.map(({ promptId }) => promptId)).toEqual(["p2", "p1"]);
    expect((await move({ before: null })).status).toBe(200);
    expect((await move({ before: "p9" })).status).toBe(404);
    for (const wrong of [{}, { before: 5 }, { before: "p1", content: "both" }])
      expect((await move(wrong)).status).toBe(422);
  });

  it("are cancelled", async () => {
    const session = await openSession();
    expect((await post(`/api/sessions/${session.id}/cancel`)).status).toBe(202);
    expect(await lastEvent(session)).toMatchObject({ kind: "turn-changed", state: "cancelling" });
  });

  it("are refused when there are too many in a minute, with the time to wait", async () => {
    await using strict = await openTestDoors({ profile: "spec" });
    const session = await strict.sessions.open({ agent: "a", cwd: "/repo", by: "t" });
    const send = () =>
      strict.ask(`/api/sessions/${session.id}/prompts`, { method: "POST", body: { content: "x" } });
    for (let count = 0; count < 10; count++) expect((await send()).status).toBe(202);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const problem = (await refused.json()) as { code: string; retryAfterMs: number };
    expect(problem.code).toBe("rate-limited");
    expect(problem.retryAfterMs).toBeGreaterThan(0);
  });
});

describe("decisions", () => {
  const ask = {
    kind: "ask-opened",
    askId: "ask-1",
    ask: "permission",
    toolCall: { toolCallId: "t1" },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  } as const;

  it("answer an ask once, by an outcome or by an option alone", async () => {
    const session = await openSession();
    session.append(ask, { ...ask, askId: "ask-2" });
    const path = `/api/sessions/${session.id}/asks`;
    const outcome = { outcome: "selected", optionId: "yes" };
    expect((await post(`${path}/ask-1`, { optionId: "yes" })).status).toBe(200);
    expect(await lastEvent(session)).toMatchObject({ askId: "ask-1", outcome });
    expect((await post(`${path}/ask-2`, { outcome })).status).toBe(200);
    const late = await post(`${path}/ask-1`, { optionId: "yes" });
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({
      code: "ask-already-settled",
      by: { client: test.tokens.list()[0]?.id },
    });
    expect((await post(`${path}/ask-3`, { optionId: "yes" })).status).toBe(404);
  });

  it("take a note along, which is queued", async () => {
    const session = await openSession();
    session.append(ask, { ...ask, askId: "ask-2" });
    const path = `/api/sessions/${session.id}/asks`;
    const outcome = { outcome: "cancelled" };
    const answered = await post(`${path}/ask-1`, { outcome, note: "use pnpm" });
    expect(await answered.json()).toEqual({ askId: "ask-1", outcome, promptId: "note" });
    expect(await lastEvent(session)).toMatchObject({
      kind: "prompt-queued",
      content: [{ type: "text", text: "use pnpm" }],
    });
    for (const note of ["", 5, null, "x".repeat(33 * 1_024)])
      expect((await post(`${path}/ask-2`, { optionId: "yes", note })).status).toBe(422);
  });

  it("set the mode and the options", async () => {
    const session = await openSession();
    const path = `/api/sessions/${session.id}`;
    expect(await (await post(`${path}/mode`, { modeId: "plan" })).json()).toEqual({
      modeId: "plan",
    });
    expect(await lastEvent(session)).toMatchObject({ modes: { currentModeId: "plan" } });
    const config = { configId: "model", value: "large" };
    expect(await (await post(`${path}/config`, config)).json()).toEqual(config);
    expect((await post(`${path}/config`, { configId: "x", value: 7 })).status).toBe(422);
  });
});

describe("rules", () => {
  const rule = {
    decision: "allow",
    what: { commandPrefix: "npm test" },
    where: { in: "project", folder: "/repo" },
  };

  it("are shown in words before they are saved, then listed, then removed", async () => {
    const preview = await post("/api/rules?preview=true", rule);
    const { text } = (await preview.json()) as { text: string };
    expect(text).toContain("npm test");
    expect(await (await test.ask("/api/rules")).json()).toEqual({ rules: [], damage: null });
    const answer = await post("/api/rules", rule);
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as { id: string };
    expect(made).toMatchObject({ ...rule, text, by: test.tokens.list()[0]?.id });
    expect(await (await test.ask("/api/rules")).json()).toMatchObject({
      rules: [{ id: made.id, text }],
    });
    expect((await test.ask(`/api/rules/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await test.ask(`/api/rules/${made.id}`, { method: "DELETE" })).status).toBe(422);
    expect(test.services.rules.list()).toEqual([]);
  });

  it.each([
    7,
    [],
    {},
    { ...rule, extra: 1 },
    { ...rule, where: { in: "nowhere" } },
    { ...rule, decision: "yes" },
  ])("that are not rules are refused: %j", async (body) => {
    expect((await post("/api/rules", body)).status).toBe(422);
  });
});

describe("search and audit", () => {
  beforeEach(async () => {
    const at = 1;
    const body = {
      agent: "a",
      cwd: "/r",
      roots: ["/r"],
      title: null,
      parent: null,
      by: "t",
    } as const;
    await feed(test.services.derived, "s1", [
      { seq: 1, at, kind: "session-opened", ...body },
      {
        seq: 2,
        at,
        kind: "prompt-queued",
        promptId: "p",
        content: [{ type: "text", text: "find the needle" }],
        by: "t",
      },
      { seq: 3, at, kind: "file-read", path: "/r/a", bytes: 1, via: "disk" },
      { seq: 4, at, kind: "file-written", path: "/r/b", bytes: 1, via: "disk" },
    ]);
  });

  it("finds words", async () => {
    const answer = await test.ask("/api/search?q=needle");
    expect(await answer.json()).toMatchObject({
      hits: [{ sessionId: "s1", seq: 2, kind: "prompt" }],
    });
    expect(await (await test.ask("/api/search?q=%22%20OR%20*")).json()).toMatchObject({ hits: [] });
    expect((await test.ask("/api/search")).status).toBe(422);
    expect((await test.ask(`/api/search?q=${"x".repeat(1_001)}`)).status).toBe(422);
  });

  it("gives the audit as pages and as lines", async () => {
    const page = (await (await test.ask("/api/audit?session=s1&limit=1")).json()) as {
      entries: object[];
      nextCursor: string;
    };
    expect(page.entries).toMatchObject([{ what: "file-read" }]);
    const rest = await test.ask(
      `/api/audit?session=s1&after=${encodeURIComponent(page.nextCursor)}`,
      {
        headers: { accept: "application/jsonl" },
      },
    );
    expect(rest.headers.get("content-type")).toContain("application/jsonl");
    const lines = (await rest.text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { what: "file-written" },
    ]);
    expect((await test.ask("/api/audit?after=garbage")).status).toBe(422);
  });
});

describe("files", () => {
  it("are named inside the session's folders alone", async () => {
    const root = join(test.folder, "project");
    await mkdir(join(root, "src", "deep"), { recursive: true });
    await mkdir(join(root, "node_modules", "x"), { recursive: true });
    await mkdir(join(root, ".git"));
    await writeFile(join(root, "src", "main.ts"), "");
    await writeFile(join(root, "src", "deep", "domain.ts"), "");
    await writeFile(join(root, "node_modules", "x", "main.js"), "");
    await writeFile(join(root, ".git", "main"), "");
    await symlink("/", join(root, "outside"));
    const session = await openSession(root);
    const find = async (query: string) => {
      const answer = await test.ask(`/api/files?session=${session.id}${query}`);
      return (await answer.json()) as { files: { name: string; path: string }[]; isCut: boolean };
    };
    const names = async (query: string) => (await find(query)).files.map(({ name }) => name);
    expect(await names("&q=main")).toEqual(["src/main.ts", "src/deep/domain.ts"]);
    expect(await names("&q=sdd")).toEqual(["src/deep/domain.ts"]);
    expect((await names("")).toSorted()).toEqual([
      "outside",
      "src",
      "src/deep",
      "src/deep/domain.ts",
      "src/main.ts",
    ]);
    expect(await find("&limit=1")).toMatchObject({ isCut: true });
    expect((await test.ask("/api/files?session=nobody")).status).toBe(404);
    expect((await test.ask("/api/files")).status).toBe(404);
  });

  it("are named in a folder where no session is yet, for those who may begin one", async () => {
    const root = join(test.folder, "begin");
    await mkdir(join(root, "node_modules"), { recursive: true });
    await writeFile(join(root, "main.ts"), "");
    await symlink("/", join(root, "outside"));
    const ask = (query: string, init?: Parameters<typeof test.ask>[1]) =>
      test.ask(`/api/files?${query}`, init);
    const folder = `folder=${encodeURIComponent(`${root}/`)}`;
    const main = { name: "main.ts", path: join(root, "main.ts"), root, kind: "file" };
    expect(await (await ask(`${folder}&q=main`)).json()).toEqual({ files: [main], isCut: false });
    const { files } = (await (await ask(folder)).json()) as { files: { name: string }[] };
    expect(files.map(({ name }) => name)).toEqual(["main.ts", "outside"]);
    expect((await ask("folder=begin")).status).toBe(422);
    expect((await ask(`folder=${root}/main.ts`)).status).toBe(404);
    expect((await ask(`folder=${root}/nowhere`)).status).toBe(404);
    expect((await ask(`${folder}&session=s`)).status).toBe(422);
    const { token } = await test.tokens.create({ name: "TV", role: "watch" });
    const asWatcher = { headers: { authorization: `Bearer ${token}` } };
    expect((await ask(folder, asWatcher)).status).toBe(403);
  });

  it("are looked for only so far", async () => {
    await using small = await openTestDoors({ limits: { filesScanned: 10 } });
    const session = await small.sessions.open({ agent: "a", cwd: "/usr", by: "t" });
    const answer = await small.ask(`/api/files?session=${session.id}`);
    const { files, isCut } = (await answer.json()) as { files: unknown[]; isCut: boolean };
    expect(files.length).toBeLessThanOrEqual(10);
    expect(isCut).toBe(true);
  });
});

describe("blobs", () => {
  it("are given by hash, within the session that has them", async () => {
    const session = await openSession();
    const other = await openSession();
    session.says("long ".repeat(100_000));
    const hash = /"\$blob":"([0-9a-f]{64})"/.exec(JSON.stringify(await lastEvent(session)))![1]!;
    const answer = await test.ask(`/api/blobs/${hash}?session=${session.id}`);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await answer.text()).toBe("long ".repeat(100_000));
    expect((await test.ask(`/api/blobs/${hash}?session=${other.id}`)).status).toBe(404);
    expect((await test.ask(`/api/blobs/..%2f..%2fx?session=${session.id}`)).status).toBe(404);
    expect((await test.ask(`/api/blobs/${hash}`)).status).toBe(422);
  });
});
