import { writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AgentSummary, Output } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { shipped } from "../sessions/marked-gateway.ts";
import { TestGateway } from "./test-gateway.ts";

let test: TestGateway;
beforeAll(async () => {
  test = await TestGateway.start({ scenario: await shipped("sign-in") });
});
afterAll(() => test[Symbol.asyncDispose]());

type Role = "admin" | "control" | "watch";

async function as(role: Role) {
  const { token, id } = await test.addToken({ role });
  const headers = { authorization: `Bearer ${token}` };
  const status = async (method: string, path: string, body?: unknown) =>
    (await test.ask(path, { method, headers, ...(body === undefined ? {} : { body }) })).status;
  return { status, id };
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
    expect(await control.status("DELETE", `/api/devices/${admin.id}`)).toBe(403);
    // It may remove its own device.
    expect(await control.status("DELETE", `/api/devices/${control.id}`)).toBe(200);
  });

  it("adds and removes global rules, and acknowledges the damaged rules file", async () => {
    const admin = await as("admin");
    const control = await as("control");
    const everywhere = rule({ in: "everywhere" });
    expect(await control.status("POST", "/api/rules", everywhere)).toBe(403);
    expect(await control.status("POST", "/api/rules?preview=true", everywhere)).toBe(200);
    expect(await control.status("POST", "/api/rules", rule({ in: "project", folder: "/x" }))).toBe(
      201,
    );
    expect(await admin.status("POST", "/api/rules", everywhere)).toBe(201);
    const { rules } = (await (await test.ask("/api/rules")).json()) as Output<"list-rules">;
    const [inProject, ofAll] = rules;
    expect(await control.status("DELETE", `/api/rules/${ofAll!.id}`)).toBe(403);
    expect(await control.status("DELETE", `/api/rules/${inProject!.id}`)).toBe(204);
    expect(await admin.status("DELETE", `/api/rules/${ofAll!.id}`)).toBe(204);
    expect(await control.status("POST", "/api/rules/damage/acknowledge")).toBe(403);
    expect(await admin.status("POST", "/api/rules/damage/acknowledge")).toBe(204);
  });

  it("signs in to agents and out of them, and sees the progress", async () => {
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
  });

  it("does so over WebSocket too, and others only see that a sign-in is in progress", async () => {
    const control = await test.connect({ token: "control" });
    const admin = await test.connect({ token: "admin" });
    for (const [type, fields] of [
      ["sign-in", { agent: "scripted", methodId: "key" }],
      ["sign-out", { agent: "scripted" }],
    ] as const)
      expect(await control.ask(type, fields)).toMatchObject({ error: { code: "forbidden" } });
    const reply = admin.ask("sign-in", { agent: "scripted", methodId: "key" });
    const question = "what is your key?";
    const progressIn = (agents: unknown) =>
      (agents as AgentSummary[]).find(({ id }) => id === "scripted")?.progress;
    await admin.until(
      ({ agents = [] }) => progressIn(agents)?.message?.includes(question) ?? false,
    );
    const { agents: shown } = await control.until(({ agents = [] }) => progressIn(agents) != null);
    const others = { what: "sign-in", message: "Somebody is signing in." };
    expect(progressIn(shown)).toEqual(others);
    const list = async (token: string) =>
      ((await (await test.ask("/api/agents", { as: token })).json()) as Output<"list-agents">)
        .agents;
    expect(progressIn(await list("admin"))?.message).toContain(question);
    expect(progressIn(await list("watch"))).toEqual(others);
    expect((await list("watch")).every(({ keys }) => keys === null)).toBe(true);
    expect(JSON.stringify(control.frames)).not.toContain(question);
    await admin.ask("cancel-sign-in", { agent: "scripted" });
    expect(await reply).toHaveProperty("error");
    expect(await admin.ask("sign-out", { agent: "scripted" })).not.toMatchObject({
      error: { code: "forbidden" },
    });
  });
});

describe("tokens from before the role admin", () => {
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
  const kept = (id: string, role: string) => ({ id, name: id, role, madeAt: 1, hash: hashOf(id) });

  it.each([
    ["the displayed one", "second", ["first", "second"], "second"],
    ["the first that may act, if that one is gone", null, ["first", "second"], "first"],
  ])("%s becomes one, and the others stay unchanged", async (_what, shown, controls, admin) => {
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
    // It happens once: no other token becomes an admin when the admin is removed.
    {
      using opened = await openTokens(path);
      await opened.revoke(admin);
    }
    expect(Object.values(await roles()).filter((role) => role === "control")).toHaveLength(1);
  });
});
