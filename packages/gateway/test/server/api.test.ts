import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionEvent } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { model, modes } from "../sessions/agent-options.ts";
import { text, turn, Watcher } from "../sessions/scripted-gateway.ts";
import { TestGateway, type LoggedSession } from "./test-gateway.ts";

const toolCall = { toolCallId: "t1", kind: "execute", rawInput: { command: "ls" } };
const scenario = {
  session: { modes, configOptions: [model] },
  turns: [
    { match: "wait", steps: [{ say: "Working." }], end: "never" },
    {
      match: "two",
      steps: [{ together: [[{ permission: { toolCall } }], [{ permission: { toolCall } }]] }],
    },
    {
      match: "read",
      steps: [
        { readFile: { path: "{{cwd}}/a.txt" } },
        { writeFile: { path: "{{cwd}}/b.txt", content: "b" } },
      ],
    },
    { match: "/./", steps: [{ say: "Done." }] },
  ],
};

let test: TestGateway;
beforeAll(async () => {
  test = await TestGateway.start({ scenario });
});
afterAll(() => test[Symbol.asyncDispose]());

/** A session with a turn that does not end, so that prompts are queued. */
async function busySession(): Promise<LoggedSession> {
  const session = await test.open();
  using watcher = new Watcher(session.session);
  await session.session.prompt("first", text("wait"), "tester");
  await watcher.until("update");
  return session;
}

async function lastEvent(session: Pick<LoggedSession, "log">): Promise<SessionEvent> {
  const chunk = await session.log.page(session.log.head + 1, 1);
  return JSON.parse(chunk!.bytes.toString()) as SessionEvent;
}

const post = (path: string, body?: unknown) =>
  test.ask(path, { method: "POST", ...(body === undefined ? {} : { body }) });

describe("the gateway", () => {
  it("reports its health", async () => {
    const answer = await test.ask("/api/health");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: "ok", limits: "default" });
  });

  it("lists its agents", async () => {
    expect(await (await test.ask("/api/agents")).json()).toMatchObject({
      agents: expect.arrayContaining([expect.objectContaining({ id: "scripted", found: true })]),
    });
  });

  it("counts refused requests", async () => {
    await test.ask("/api/nothing");
    const answer = await test.ask("/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(await answer.text()).toContain('landline_errors_total{code="method-not-found"} 1');
  });
});

describe("sessions", () => {
  it("are opened, and are then in the list", async () => {
    const cwd = join(test.project, "one");
    await mkdir(cwd);
    const answer = await post("/api/sessions", { agent: "scripted", cwd, title: "One" });
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as { sessionId: string };
    expect(made).toMatchObject({ agent: "scripted", cwd, title: "One" });
    expect(answer.headers.get("location")).toBe(`/api/sessions/${made.sessionId}`);
    await test.open();
    const list = await test.ask(`/api/sessions?cwd=${cwd}`);
    expect(await list.json()).toMatchObject({ sessions: [{ sessionId: made.sessionId }] });
  });

  it("record which token opened them", async () => {
    const wanted = { agent: "scripted", cwd: test.project };
    const answer = await post("/api/sessions", wanted);
    const { sessionId } = (await answer.json()) as { sessionId: string };
    using watcher = new Watcher(await test.sessions.get(sessionId));
    expect(await watcher.until("session-opened")).toMatchObject({ by: await test.clientId() });
    const forged = await post("/api/sessions", { ...wanted, by: "somebody else" });
    expect(await forged.json()).toMatchObject({ code: "invalid-params", field: "by" });
  });

  it("are shown with their view, renamed, closed and deleted", async () => {
    const session = await test.recorded();
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
    expect((await test.ask(path)).status).toBe(410);
  });

  it("are forked into new ones", async () => {
    const session = await test.open();
    const answer = await post(`/api/sessions/${session.id}/fork`);
    expect(answer.status).toBe(201);
    const fork = (await answer.json()) as { sessionId: string; parent: string };
    expect(fork).toMatchObject({ parent: session.id });
    await test.open();
    const forks = await test.ask(`/api/sessions?parent=${session.id}`);
    expect(await forks.json()).toMatchObject({ sessions: [{ sessionId: fork.sessionId }] });
  });

  it("return an agent's refusal as its own error", async () => {
    const answer = await post("/api/sessions", { agent: "missing", cwd: test.project });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "agent-not-found" });
  });
});

describe("prompts", () => {
  it("are queued as text or blocks, with an id of the client or the gateway", async () => {
    const session = await busySession();
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
    const session = await busySession();
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

  it("can be reordered", async () => {
    const session = await busySession();
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
    const session = await busySession();
    expect((await post(`/api/sessions/${session.id}/cancel`)).status).toBe(202);
    expect(await lastEvent(session)).toMatchObject({ kind: "turn-changed", state: "cancelling" });
  });

  it("are refused if there are too many in a minute, with the time to wait", async () => {
    await using strict = await TestGateway.start({ profile: "spec", scenario });
    const session = await strict.open();
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
  /** A session whose agent waits for two answers, and the ids of its requests. */
  async function askingSession() {
    const session = await test.open();
    using watcher = new Watcher(session.session);
    await session.session.prompt("first", text("two"), "tester");
    const one = await watcher.until("ask-opened");
    const two = await watcher.until("ask-opened", ({ askId }) => askId !== one.askId);
    return { session, asks: [one.askId, two.askId] as const };
  }

  it("answer a request once, by an outcome or by an option alone", async () => {
    const { session, asks } = await askingSession();
    const path = `/api/sessions/${session.id}/asks`;
    const outcome = { outcome: "selected", optionId: "allow" };
    expect((await post(`${path}/${asks[0]}`, { optionId: "allow" })).status).toBe(200);
    expect((await post(`${path}/${asks[1]}`, { outcome })).status).toBe(200);
    using watcher = new Watcher(session.session);
    for (const askId of asks)
      expect(await watcher.until("ask-settled", (event) => event.askId === askId)).toMatchObject({
        outcome,
      });
    const late = await post(`${path}/${asks[0]}`, { optionId: "allow" });
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({
      code: "ask-already-settled",
      by: { client: await test.clientId() },
    });
    expect((await post(`${path}/ask-3`, { optionId: "allow" })).status).toBe(404);
  });

  it("may have a note, which is queued", async () => {
    const { session, asks } = await askingSession();
    const path = `/api/sessions/${session.id}/asks`;
    const outcome = { outcome: "selected", optionId: "reject" };
    for (const note of ["", 5, null, "x".repeat(33 * 1_024)])
      expect((await post(`${path}/${asks[1]}`, { outcome, note })).status).toBe(422);
    const answered = await post(`${path}/${asks[0]}`, { outcome, note: "use pnpm" });
    const { promptId } = (await answered.clone().json()) as { promptId: string };
    expect(await answered.json()).toEqual({ askId: asks[0], outcome, promptId });
    using watcher = new Watcher(session.session);
    const queued = await watcher.until("prompt-queued", (event) => event.promptId === promptId);
    expect(queued.content).toEqual([{ type: "text", text: "use pnpm" }]);
  });

  it("set the mode and the options", async () => {
    const session = await test.open();
    const path = `/api/sessions/${session.id}`;
    expect(await (await post(`${path}/mode`, { modeId: "code" })).json()).toEqual({
      modeId: "code",
    });
    expect(await lastEvent(session)).toMatchObject({ modes: { currentModeId: "code" } });
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

  it("are described before they are saved, then listed, then removed", async () => {
    const preview = await post("/api/rules?preview=true", rule);
    const { text: words } = (await preview.json()) as { text: string };
    expect(words).toContain("npm test");
    expect(await (await test.ask("/api/rules")).json()).toEqual({ rules: [], damage: null });
    const answer = await post("/api/rules", rule);
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as { id: string };
    expect(made).toMatchObject({ ...rule, text: words, by: await test.clientId() });
    expect(await (await test.ask("/api/rules")).json()).toMatchObject({
      rules: [{ id: made.id, text: words }],
    });
    expect((await test.ask(`/api/rules/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await test.ask(`/api/rules/${made.id}`, { method: "DELETE" })).status).toBe(422);
    expect(await (await test.ask("/api/rules")).json()).toMatchObject({ rules: [] });
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
  let sessionId: string;
  beforeAll(async () => {
    await writeFile(join(test.project, "a.txt"), "a");
    const session = await test.open();
    sessionId = session.id;
    using watcher = new Watcher(session.session);
    await turn(session.session, watcher, "read the needle");
    // The list waits until the index has caught up.
    await test.ask("/api/sessions");
  });

  it("finds words", async () => {
    const answer = await test.ask("/api/search?q=needle");
    expect(await answer.json()).toMatchObject({
      hits: [{ sessionId, kind: "prompt" }],
    });
    expect(await (await test.ask("/api/search?q=%22%20OR%20*")).json()).toMatchObject({ hits: [] });
    expect((await test.ask("/api/search")).status).toBe(422);
    expect((await test.ask(`/api/search?q=${"x".repeat(1_001)}`)).status).toBe(422);
  });

  it("returns the audit as pages and as lines", async () => {
    const page = (await (await test.ask(`/api/audit?session=${sessionId}&limit=1`)).json()) as {
      entries: object[];
      nextCursor: string;
    };
    expect(page.entries).toMatchObject([{ what: "file-read" }]);
    const rest = await test.ask(
      `/api/audit?session=${sessionId}&after=${encodeURIComponent(page.nextCursor)}`,
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
  it("are found in the session's folders only", async () => {
    const root = join(test.folder, "files");
    await mkdir(join(root, "src", "deep"), { recursive: true });
    await mkdir(join(root, "node_modules", "x"), { recursive: true });
    await mkdir(join(root, ".git"));
    await writeFile(join(root, "src", "main.ts"), "");
    await writeFile(join(root, "src", "deep", "domain.ts"), "");
    await writeFile(join(root, "node_modules", "x", "main.js"), "");
    await writeFile(join(root, ".git", "main"), "");
    await symlink("/", join(root, "outside"));
    const session = await test.recorded({ cwd: root });
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

  it("are listed in a folder without a session, for clients that may open one", async () => {
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
    expect((await ask(folder, { as: "watch" })).status).toBe(403);
  });

  it("are searched within limits", async () => {
    await using small = await TestGateway.start({ limits: { filesScanned: 10 } });
    const session = await small.recorded({ cwd: "/usr" });
    const answer = await small.ask(`/api/files?session=${session.id}`);
    const { files, isCut } = (await answer.json()) as { files: unknown[]; isCut: boolean };
    expect(files.length).toBeLessThanOrEqual(10);
    expect(isCut).toBe(true);
  });
});

describe("blobs", () => {
  it("are returned by hash, only in the session that has them", async () => {
    const session = await test.recorded();
    const other = await test.recorded();
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
