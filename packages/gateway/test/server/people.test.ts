import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { withoutRights } from "../acp-client/rights.ts";
import { openTestDoors, type TestDoors } from "./door-services.ts";

let test: TestDoors;
beforeEach(async () => {
  test = await openTestDoors();
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const asWatcher = async () => {
  const { token } = await test.tokens.create({ name: "TV", role: "watch" });
  return { headers: { authorization: `Bearer ${token}` } };
};

it("GET /api/agents tells those who watch that there is a sign-in, and not how it goes, nor which keys there are", async () => {
  const progress = { what: "sign-in", message: "Your code is ABCD", url: "https://x.org/ABCD" };
  const keys = [{ name: "First", variable: null }];
  test.services.agents.list = async () => [
    { id: "held", keys, progress } as unknown as AgentSummary,
  ];
  expect(await (await test.ask("/api/agents")).json()).toEqual({
    agents: [{ id: "held", keys, progress }],
  });
  expect(await (await test.ask("/api/agents", await asWatcher())).json()).toEqual({
    agents: [
      { id: "held", keys: null, progress: { what: "sign-in", message: "Somebody is signing in." } },
    ],
  });
});

it("POST /api/agents/:id/sign-out is for those who may act", async () => {
  const signedOut: unknown[] = [];
  test.services.agents.signOut = async (...given) => void signedOut.push(given);
  const path = "/api/agents/held/sign-out";
  const refused = await test.ask(path, { method: "POST", ...(await asWatcher()) });
  expect(refused.status).toBe(403);
  const answer = await test.ask(path, { method: "POST" });
  expect([answer.status, await answer.json()]).toEqual([200, { agent: "held" }]);
  expect(signedOut).toEqual([["held", test.tokens.list()[0]!.id]]);
});

describe("GET /api/me", () => {
  it("says who asks, who else there is, and where", async () => {
    const [first] = test.tokens.list();
    const { summary } = await test.tokens.create({ name: "My phone", role: "watch" });
    expect(await (await test.ask("/api/me")).json()).toEqual({
      clientId: first!.id,
      role: "admin",
      people: {
        [first!.id]: "the gateway’s computer",
        [summary.id]: "My phone",
        "command-line": "the command line",
      },
      rulesDamage: null,
      cwd: process.cwd(),
      home: homedir(),
      version: expect.stringMatching(/^\d+\./) as string,
    });
  });

  it("is for those who watch too", async () => {
    const answer = await test.ask("/api/me", await asWatcher());
    expect(await answer.json()).toMatchObject({ role: "watch" });
  });

  it("names a token that the environment fixes", async () => {
    using fixed = await openTokens(join(test.folder, "other.json"), { fixed: "abc" });
    expect(fixed.list()).toContainEqual(
      expect.objectContaining({ id: "environment", name: "LANDLINE_TOKEN" }),
    );
  });
});

describe("GET /api/folders", () => {
  const folders = async (path: string) => {
    const answer = await test.ask(`/api/folders?path=${encodeURIComponent(path)}`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it("lists the folders in a folder, hidden ones last", async () => {
    const root = join(test.folder, "root");
    for (const name of ["b", "A", ".git", "c"]) await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, "file"), "");
    await symlink(join(root, "b"), join(root, "link"));
    await symlink(join(root, "missing"), join(root, "nowhere"));
    const names = ["A", "b", "c", "link", ".git"];
    expect(await folders(`${root}/b/..`)).toEqual({
      status: 200,
      body: {
        path: root,
        parent: test.folder,
        folders: names.map((name) => ({ name, path: join(root, name) })),
        isCut: false,
      },
    });
  });

  it("is the home folder's when none is named, and the root has no parent", async () => {
    expect(await (await test.ask("/api/folders")).json()).toMatchObject({ path: homedir() });
    expect((await folders("/")).body).toMatchObject({ path: "/", parent: null });
  });

  it.each([
    ["src", 422, "invalid-params"],
    ["/no/such/folder", 404, "file-not-found"],
    ["/a\0b", 422, "invalid-params"],
    [`/${"x".repeat(5_000)}`, 422, "invalid-params"],
    [`/${"x".repeat(300)}`, 422, "invalid-params"],
  ])("says what is wrong with %j", async (path, status, code) => {
    expect(await folders(path)).toMatchObject({ status, body: { code } });
  });

  it("says that a file is not a folder", async () => {
    const file = join(test.folder, "file");
    await writeFile(file, "");
    const { body } = await folders(file);
    expect(body).toMatchObject({ code: "invalid-params", message: `${file} is not a folder.` });
  });

  it("says that the system refuses", async () => {
    const closed = join(test.folder, "closed");
    await mkdir(closed, { mode: 0o000 });
    const answer = await withoutRights(test.folder, () => folders(closed));
    expect(answer).toMatchObject({ status: 403, body: { code: "permission-denied" } });
  });

  it("leaves out what is too much, hidden ones first, and says so", async () => {
    await using small = await openTestDoors({ limits: { foldersListed: 2 } });
    for (const name of [".a", "b", "c"])
      await mkdir(join(small.folder, "in", name), { recursive: true });
    const answer = await small.ask(`/api/folders?path=${small.folder}/in`);
    expect(await answer.json()).toMatchObject({
      folders: [{ name: "b" }, { name: "c" }],
      isCut: true,
    });
  });

  it("looks at no more than it may", async () => {
    await using small = await openTestDoors({ limits: { filesScanned: 2 } });
    for (const name of ["a", "b", "c"])
      await mkdir(join(small.folder, "in", name), { recursive: true });
    const answer = await small.ask(`/api/folders?path=${small.folder}/in`);
    const listing = (await answer.json()) as { folders: unknown[]; isCut: boolean };
    expect([listing.folders.length, listing.isCut]).toEqual([2, true]);
  });

  it("is for those alone who may act", async () => {
    expect((await test.ask("/api/folders", await asWatcher())).status).toBe(403);
  });
});

describe("devices", () => {
  it("are listed, and the one that asks is marked", async () => {
    const { summary } = await test.tokens.create({ name: "Phone", role: "watch" });
    const [first] = test.tokens.list();
    expect(await (await test.ask("/api/devices")).json()).toEqual({
      devices: [
        { ...first, isThis: true },
        { ...summary, isThis: false },
      ],
    });
  });

  it("are added with a link that lets them in", async () => {
    const body = { name: "Phone", role: "watch" };
    const answer = await test.ask("/api/devices", {
      method: "POST",
      body,
      headers: { host: "127.0.0.1:3001" },
    });
    expect(answer.status).toBe(201);
    const added = (await answer.json()) as { token: string; url: string; id: string };
    expect(added).toMatchObject({ ...body, isThis: false, id: expect.stringMatching(/^phone-/) });
    expect(added.url).toBe(`http://127.0.0.1:3001/#token=${added.token}`);
    expect(test.tokens.find(added.token)).toMatchObject({ id: added.id, role: "watch" });
  });

  it("have a link to where people reach the page", async () => {
    await using proxied = await openTestDoors({ publicUrl: "https://line.example/landline" });
    const answer = await proxied.ask("/api/devices", {
      method: "POST",
      body: { name: "Phone", role: "control" },
    });
    const { url } = (await answer.json()) as { url: string };
    expect(url).toMatch(/^https:\/\/line\.example\/landline\/#token=ll_/);
  });

  it.each([
    [{ role: "watch" }, "name"],
    [{ name: "", role: "watch" }, "name"],
    [{ name: "x".repeat(101), role: "watch" }, "name"],
    [{ name: "Phone", role: "king" }, "role"],
    [{ name: "Phone" }, "role"],
  ])("are refused as %j", async (body, field) => {
    const answer = await test.ask("/api/devices", { method: "POST", body });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: "invalid-params", field });
    expect(test.tokens.list()).toHaveLength(1);
  });

  it("are taken away, the one that asks too", async () => {
    const { token, summary } = await test.tokens.create({ name: "Phone", role: "control" });
    const remove = (id: string, authorization: string) =>
      test.ask(`/api/devices/${id}`, { method: "DELETE", headers: { authorization } });
    const itself = await remove(summary.id, `Bearer ${token}`);
    expect([itself.status, await itself.json()]).toEqual([200, { id: summary.id, isThis: true }]);
    expect(test.tokens.find(token)).toBeNull();
    const again = await remove(summary.id, `Bearer ${test.token}`);
    expect([again.status, await again.json()]).toMatchObject([422, { code: "invalid-params" }]);
    const other = await test.tokens.create({ name: "TV", role: "watch" });
    const answer = await remove(other.summary.id, `Bearer ${test.token}`);
    expect(await answer.json()).toMatchObject({ isThis: false });
  });

  it("are for those alone who may act", async () => {
    const watcher = await asWatcher();
    expect((await test.ask("/api/devices", watcher)).status).toBe(403);
    const body = { name: "x", role: "control" };
    expect((await test.ask("/api/devices", { ...watcher, method: "POST", body })).status).toBe(403);
    const [first] = test.tokens.list();
    const path = `/api/devices/${first!.id}`;
    expect((await test.ask(path, { ...watcher, method: "DELETE" })).status).toBe(403);
  });
});

describe("the trace of a session", () => {
  it("comes in pages where it is kept", async () => {
    const asked: unknown[] = [];
    const line = { number: 3, at: 1, direction: "in", message: {} } as const;
    const page = { lines: [line], hasMore: true };
    await using traced = await openTestDoors({
      readTrace: async (...query) => {
        asked.push(query);
        return page;
      },
    });
    const session = await traced.sessions.open({ agent: "scripted", cwd: "/repo", by: "tester" });
    const path = `/api/sessions/${session.id}/trace`;
    expect(await (await traced.ask(path)).json()).toEqual(page);
    await traced.ask(`${path}?before=7&limit=2`);
    expect(asked).toEqual([
      [session.id, { limit: traced.services.limits.tracePageLines }],
      [session.id, { before: 7, limit: 2 }],
    ]);
    for (const query of ["before=0", "before=x", "limit=0", "limit=9999"])
      expect((await traced.ask(`${path}?${query}`)).status).toBe(422);
  });

  it("is said not to be there otherwise", async () => {
    const session = await test.sessions.open({ agent: "scripted", cwd: "/repo", by: "tester" });
    const answer = await test.ask(`/api/sessions/${session.id}/trace`);
    expect([answer.status, await answer.json()]).toEqual([200, { lines: null, hasMore: false }]);
    expect((await test.ask("/api/sessions/none/trace")).status).toBe(404);
    expect((await test.ask(`/api/sessions/${session.id}/trace`, await asWatcher())).status).toBe(
      403,
    );
  });
});

it("rules are suggested for an open ask alone", async () => {
  const session = await test.sessions.open({ agent: "scripted", cwd: "/repo", by: "tester" });
  const toolCall = { toolCallId: "call" };
  session.append({ kind: "ask-opened", askId: "ask", ask: "permission", toolCall, options: [] });
  const path = `/api/sessions/${session.id}/asks`;
  expect(await (await test.ask(`${path}/ask/rules`)).json()).toMatchObject({ rules: [] });
  const answer = await test.ask(`${path}/other/rules`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: "ask-not-found" }]);
});
