import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Output } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { withoutRights } from "../acp-client/rights.ts";
import { text, Watcher } from "../sessions/scripted-gateway.ts";
import { TestGateway } from "./test-gateway.ts";

let test: TestGateway;
beforeEach(async () => {
  test = await TestGateway.start();
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const asWatcher = { as: "watch" };

describe("GET /api/me", () => {
  it("returns the caller, the other devices, and the gateway's folder", async () => {
    const phone = await test.addToken({ name: "My phone", role: "watch" });
    const clientId = await test.clientId();
    expect(await (await test.ask("/api/me")).json()).toEqual({
      clientId,
      role: "admin",
      people: {
        [clientId]: "the gateway’s computer",
        [phone.id]: "My phone",
        "command-line": "the command line",
      },
      rulesDamage: null,
      cwd: process.cwd(),
      home: homedir(),
      version: expect.stringMatching(/^\d+\./) as string,
    });
  });

  it("needs only the role watch", async () => {
    const answer = await test.ask("/api/me", asWatcher);
    expect(await answer.json()).toMatchObject({ role: "watch" });
  });

  it("names the token of the environment", async () => {
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

  it("is the home folder by default, and the root has no parent", async () => {
    expect(await (await test.ask("/api/folders")).json()).toMatchObject({ path: homedir() });
    expect((await folders("/")).body).toMatchObject({ path: "/", parent: null });
  });

  it.each([
    ["src", 422, "invalid-params"],
    ["/no/such/folder", 404, "file-not-found"],
    ["/a\0b", 422, "invalid-params"],
    [`/${"x".repeat(5_000)}`, 422, "invalid-params"],
    [`/${"x".repeat(300)}`, 422, "invalid-params"],
  ])("reports what is wrong with %j", async (path, status, code) => {
    expect(await folders(path)).toMatchObject({ status, body: { code } });
  });

  it("reports that a file is not a folder", async () => {
    const file = join(test.folder, "file");
    await writeFile(file, "");
    const { body } = await folders(file);
    expect(body).toMatchObject({ code: "invalid-params", message: `${file} is not a folder.` });
  });

  it("reports that the system denies access", async () => {
    const closed = join(test.folder, "closed");
    await mkdir(closed, { mode: 0o000 });
    const answer = await withoutRights(test.folder, () => folders(closed));
    expect(answer).toMatchObject({ status: 403, body: { code: "permission-denied" } });
  });

  it("omits names above the limit, hidden ones first, and reports it", async () => {
    await using small = await TestGateway.start({ limits: { foldersListed: 2 } });
    for (const name of [".a", "b", "c"])
      await mkdir(join(small.folder, "in", name), { recursive: true });
    const answer = await small.ask(`/api/folders?path=${small.folder}/in`);
    expect(await answer.json()).toMatchObject({
      folders: [{ name: "b" }, { name: "c" }],
      isCut: true,
    });
  });

  it("reads a bounded number of entries", async () => {
    await using small = await TestGateway.start({ limits: { filesScanned: 2 } });
    for (const name of ["a", "b", "c"])
      await mkdir(join(small.folder, "in", name), { recursive: true });
    const answer = await small.ask(`/api/folders?path=${small.folder}/in`);
    const listing = (await answer.json()) as { folders: unknown[]; isCut: boolean };
    expect([listing.folders.length, listing.isCut]).toEqual([2, true]);
  });

  it("needs the role control", async () => {
    expect((await test.ask("/api/folders", asWatcher)).status).toBe(403);
  });
});

describe("devices", () => {
  const devices = async () => {
    const answer = await test.ask("/api/devices");
    return ((await answer.json()) as { devices: readonly object[] }).devices;
  };
  const statusWith = async (token: string) =>
    (await test.ask("/api/me", { headers: { authorization: `Bearer ${token}` } })).status;

  it("are listed, and the caller's is marked", async () => {
    const { token: _, ...phone } = await test.addToken({ name: "Phone", role: "watch" });
    expect(await devices()).toMatchObject([
      { id: await test.clientId(), isThis: true },
      { id: phone.id, name: "Phone", role: "watch", isThis: false },
    ]);
  });

  it("are added with a link that authenticates", async () => {
    const body = { name: "Phone", role: "watch" };
    const answer = await test.ask("/api/devices", { method: "POST", body });
    expect(answer.status).toBe(201);
    const added = (await answer.json()) as { token: string; url: string; id: string };
    expect(added).toMatchObject({ ...body, isThis: false, id: expect.stringMatching(/^phone-/) });
    expect(added.url).toBe(`${test.url}/#token=${added.token}`);
    expect(await statusWith(added.token)).toBe(200);
  });

  it("have a link to the public URL of the page", async () => {
    await using proxied = await TestGateway.start({ publicUrl: "https://line.example/landline" });
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
    expect(await devices()).toHaveLength(1);
  });

  it("are removed, including the caller's own", async () => {
    const { token, id: phone } = await test.tokenOf("control");
    const remove = (id: string, authorization: string) =>
      test.ask(`/api/devices/${id}`, { method: "DELETE", headers: { authorization } });
    const itself = await remove(phone, `Bearer ${token}`);
    expect([itself.status, await itself.json()]).toEqual([200, { id: phone, isThis: true }]);
    expect(await statusWith(token)).toBe(401);
    const again = await remove(phone, `Bearer ${test.token}`);
    expect([again.status, await again.json()]).toMatchObject([422, { code: "invalid-params" }]);
    const other = await test.tokenOf("watch");
    const answer = await remove(other.id, `Bearer ${test.token}`);
    expect(await answer.json()).toMatchObject({ isThis: false });
  });

  it("are refused to the role watch", async () => {
    expect((await test.ask("/api/devices", asWatcher)).status).toBe(403);
    const body = { name: "x", role: "control" };
    expect((await test.ask("/api/devices", { ...asWatcher, method: "POST", body })).status).toBe(
      403,
    );
    const path = `/api/devices/${await test.clientId()}`;
    expect((await test.ask(path, { ...asWatcher, method: "DELETE" })).status).toBe(403);
  });
});

describe("the trace of a session", () => {
  it("is paged if it is recorded", async () => {
    await using traced = await TestGateway.start({ trace: true });
    const session = await traced.open();
    const path = `/api/sessions/${session.id}/trace`;
    const numbers = async (query: string) => {
      const page = (await (await traced.ask(path + query)).json()) as Output<"read-trace">;
      return [page.lines?.map(({ number }) => number), page.hasMore];
    };
    const [all] = (await numbers("")) as [number[]];
    expect(all.length).toBeGreaterThanOrEqual(4);
    expect(await numbers("?limit=2")).toEqual([all.slice(-2), true]);
    expect(await numbers(`?before=${all[2]}`)).toEqual([all.slice(0, 2), false]);
    for (const query of ["before=0", "before=x", "limit=0", "limit=9999"])
      expect((await traced.ask(`${path}?${query}`)).status).toBe(422);
  });

  it("is null otherwise", async () => {
    const session = await test.recorded();
    const answer = await test.ask(`/api/sessions/${session.id}/trace`);
    expect([answer.status, await answer.json()]).toEqual([200, { lines: null, hasMore: false }]);
    expect((await test.ask("/api/sessions/none/trace")).status).toBe(404);
    expect((await test.ask(`/api/sessions/${session.id}/trace`, asWatcher)).status).toBe(403);
  });
});

it("rules are suggested for an open request only", async () => {
  const toolCall = { toolCallId: "call", kind: "execute", rawInput: { command: "ls" } };
  await using asking = await TestGateway.start({
    scenario: { turns: [{ steps: [{ permission: { toolCall } }] }] },
  });
  const session = await asking.open();
  using watcher = new Watcher(session.session);
  await session.session.prompt("p", text("go"), "tester");
  const { askId } = await watcher.until("ask-opened");
  const path = `/api/sessions/${session.id}/asks`;
  const suggested = await asking.ask(`${path}/${askId}/rules`);
  expect(await suggested.json()).toMatchObject({ rules: expect.any(Array) as unknown[] });
  const answer = await asking.ask(`${path}/other/rules`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: "ask-not-found" }]);
});
