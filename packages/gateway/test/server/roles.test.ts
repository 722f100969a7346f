import { writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { openTestDoors, type TestDoors } from "./door-services.ts";
import { startWorld } from "./socket-world.ts";

let test: TestDoors;
beforeEach(async () => {
  test = await openTestDoors();
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

type Role = "admin" | "control" | "watch";

async function as(role: Role) {
  const { token, summary } = await test.tokens.create({ name: role, role });
  const headers = { authorization: `Bearer ${token}` };
  const status = async (method: string, path: string, body?: unknown) =>
    (await test.ask(path, { method, headers, ...(body === undefined ? {} : { body }) })).status;
  return { status, summary };
}

const rule = (where: object) => ({ decision: "deny", what: { commandPrefix: "rm" }, where });

describe("only an admin", () => {
  it("sees, adds and removes devices", async () => {
    const admin = await as("admin");
    const control = await as("control");
    const device = { name: "Phone", role: "watch" };
    expect(await admin.status("GET", "/api/devices")).toBe(200);
    expect(await admin.status("POST", "/api/devices", device)).toBe(201);
    expect(await control.status("GET", "/api/devices")).toBe(403);
    expect(await control.status("POST", "/api/devices", device)).toBe(403);
    expect(await control.status("DELETE", `/api/devices/${admin.summary.id}`)).toBe(403);
    // Its own it may give up.
    expect(await control.status("DELETE", `/api/devices/${control.summary.id}`)).toBe(200);
  });

  it("adds and removes rules for everywhere, and acknowledges the damage of the rules file", async () => {
    const admin = await as("admin");
    const control = await as("control");
    const everywhere = rule({ in: "everywhere" });
    expect(await control.status("POST", "/api/rules", everywhere)).toBe(403);
    expect(await control.status("POST", "/api/rules?preview=true", everywhere)).toBe(200);
    expect(await control.status("POST", "/api/rules", rule({ in: "project", folder: "/x" }))).toBe(
      201,
    );
    expect(await admin.status("POST", "/api/rules", everywhere)).toBe(201);
    const [inProject, ofAll] = test.services.rules.list();
    expect(await control.status("DELETE", `/api/rules/${ofAll!.id}`)).toBe(403);
    expect(await control.status("DELETE", `/api/rules/${inProject!.id}`)).toBe(204);
    expect(await admin.status("DELETE", `/api/rules/${ofAll!.id}`)).toBe(204);
    expect(await control.status("POST", "/api/rules/damage/acknowledge")).toBe(403);
    expect(await admin.status("POST", "/api/rules/damage/acknowledge")).toBe(204);
  });

  it("signs in to agents and out of them, and sees how that goes", async () => {
    const progress = { what: "sign-in", message: "Your code is ABCD" };
    test.services.agents.list = async () => [{ id: "held", keys: [], progress } as never];
    const admin = await as("admin");
    const control = await as("control");
    for (const [method, path] of [
      ["POST", "/api/agents/a/sign-in"],
      ["DELETE", "/api/agents/a/sign-in"],
      ["POST", "/api/agents/a/sign-in/answer"],
      ["POST", "/api/agents/a/sign-out"],
      ["GET", "/api/terminals/t"],
      ["POST", "/api/terminals/t/input"],
      ["POST", "/api/terminals/t/size"],
    ] as const) {
      expect([path, await control.status(method, path)]).toEqual([path, 403]);
      expect([path, await admin.status(method, path)]).not.toEqual([path, 403]);
    }
    const { token } = await test.tokens.create({ name: "c", role: "control" });
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await test.ask("/api/agents", { headers })).text();
    expect(text).not.toContain("ABCD");
    expect(await (await test.ask("/api/agents")).text()).toContain("ABCD");
  });

  it("does so over the socket, too", async () => {
    await using world = await startWorld();
    const control = await world.connect({ token: "control" });
    const admin = await world.connect({ token: "admin" });
    for (const [type, fields] of [
      ["sign-in", { agent: "a", methodId: "m" }],
      ["sign-out", { agent: "a" }],
    ] as const) {
      expect(await control.ask(type, fields)).toMatchObject({ error: { code: "forbidden" } });
      expect(await admin.ask(type, fields)).not.toHaveProperty("error");
    }
  });
});

describe("tokens of before there were admins", () => {
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
  const kept = (id: string, role: string) => ({ id, name: id, role, madeAt: 1, hash: hashOf(id) });

  it.each([
    ["the one that was shown", "second", ["first", "second"], "second"],
    ["the first that may act, where that one is gone", null, ["first", "second"], "first"],
  ])("%s becomes one, and the others stay as they are", async (_what, shown, controls, admin) => {
    const path = join(test.folder, "old-tokens.json");
    const tokens = [kept("watcher", "watch"), ...controls.map((id) => kept(id, "control"))];
    await writeFile(path, JSON.stringify({ version: 1, shown, tokens }));
    const roles = async () => {
      using opened = await openTokens(path);
      return Object.fromEntries(opened.list().map(({ id, role }) => [id, role]));
    };
    const others = Object.fromEntries(
      controls.map((id) => [id, id === admin ? "admin" : "control"]),
    );
    expect(await roles()).toMatchObject({ watcher: "watch", ...others });
    // It happens once: who is no admin does not become one when the admin goes.
    {
      using opened = await openTokens(path);
      await opened.revoke(admin);
    }
    expect(Object.values(await roles()).filter((role) => role === "control")).toHaveLength(1);
  });
});
