import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestClient } from "../server/socket-client.ts";
import { ScriptedGateway, Watcher, turn } from "./scripted-gateway.ts";

const methods = [
  { id: "key", name: "API key" },
  { id: "login", name: "Log in", type: "terminal", args: ["--login"] },
  { id: "variable", name: "Use KEY", type: "env_var", vars: [{ name: "SOME_KEY" }] },
];

/** Stores a sign-in only in its process. */
const guarded = {
  authentication: "required",
  initialize: { authMethods: methods, agentCapabilities: { loadSession: true } },
  turns: [{ steps: [{ say: "Welcome." }] }],
};

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

async function ask(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const { url, token } = gateway;
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function listed(id: string): Promise<AgentSummary | undefined> {
  const { agents } = (await ask("/api/agents")).body as { agents: AgentSummary[] };
  return agents.find((agent) => agent.id === id);
}

const signIn = (agent: string, methodId: string) =>
  ask(`/api/agents/${agent}/sign-in`, { methodId });

const methodsOf = (agent: string) => ask(`/api/agents/${agent}/sign-in/methods`, {});

const open = (agent: string) => ask("/api/sessions", { agent, cwd: gateway.project });

async function connected(): Promise<TestClient> {
  const { url, token } = gateway;
  const address = `${url.replace("http", "ws")}/ws?token=${token}`;
  const client = new TestClient(new WebSocket(address, ["landline.v1"]));
  await client.opened;
  return client;
}

test("a session that could not be opened is removed from the lists", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  const client = await connected();
  await open("guarded");
  await client.until(
    (frame) => frame["type"] === "sessions" && (frame["gone"] as unknown[]).length === 1,
  );
  expect((await ask("/api/sessions")).body).toMatchObject({ sessions: [] });
});

test("an agent that requires a sign-in works after it", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  expect(await listed("guarded")).toMatchObject({ signedIn: null, signInMethods: [] });

  expect(await open("guarded")).toMatchObject({
    status: 401,
    body: {
      code: "auth-required",
      message: "guarded wants you to sign in first. It says: Authentication required",
      help: expect.stringContaining('one of its methods: "API key" (key), "Log in" (login).'),
    },
  });
  expect(await listed("guarded")).toMatchObject({ signedIn: false, signInMethods: methods });
  expect((await ask("/api/sessions")).body).toMatchObject({ sessions: [] });

  expect(await signIn("guarded", "key")).toEqual({
    status: 200,
    body: { agent: "guarded", methodId: "key" },
  });
  expect(await listed("guarded")).toMatchObject({ signedIn: true, progress: null });

  const session = await gateway.openSession("guarded");
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
  expect(watcher.said).toBe("Welcome.");
});

/** Writes a line for each start, and fails while there is no file `may-start`. */
async function openCounted(): Promise<() => Promise<number>> {
  gateway = await ScriptedGateway.open({ guarded });
  await gateway.stop();
  const { command, args } = scriptedAgentCommand(join(gateway.folder, "guarded.json"));
  const starts = join(gateway.folder, "starts");
  const script = `echo >> "${starts}"; test -e "${gateway.folder}/may-start" || exit 3; exec "$0" "$@"`;
  const agent = { id: "guarded", command: "/bin/sh", args: ["-c", script, command, ...args] };
  await gateway.start({ agents: [agent] });
  return async () => (await readFile(starts, "utf8")).length;
}

test("sign-in methods are listed without a session, by an agent that starts once", async () => {
  const starts = await openCounted();
  await writeFile(join(gateway.folder, "may-start"), "");
  const told = { status: 200, body: { agent: "guarded", methods } };
  const asked = [methodsOf("guarded"), methodsOf("guarded")];
  expect(await Promise.all(asked)).toEqual([told, told]);
  expect(await listed("guarded")).toMatchObject({ signedIn: null, signInMethods: methods });
  expect(await methodsOf("guarded")).toEqual(told);
  expect(await starts()).toBe(1);
  expect(await methodsOf("nobody")).toMatchObject({ status: 404 });
});

test("a failed start is retried when sign-in methods are listed again", async () => {
  const starts = await openCounted();
  const { status, body } = await methodsOf("guarded");
  expect(status).toBe(502);
  expect(body).toMatchObject({ message: expect.stringContaining("code 3") });
  await writeFile(join(gateway.folder, "may-start"), "");
  expect(await methodsOf("guarded")).toMatchObject({ status: 200, body: { methods } });
  expect(await starts()).toBe(2);
});

test("a sign-in over landline.v1 shows its progress to all clients", async () => {
  const slow = { ...guarded, answers: { authenticate: { delayMs: 200 } } };
  gateway = await ScriptedGateway.open({ slow }, { listDelayMs: 1 });
  const client = await connected();
  const reply = client.ask("sign-in", { agent: "slow", methodId: "key" });
  const shown = (progress: unknown, signedIn: boolean | null) =>
    client.until(
      (frame) =>
        frame.type === "agents" &&
        (frame["agents"] as AgentSummary[]).some(
          (agent) =>
            agent.id === "slow" &&
            agent.signedIn === signedIn &&
            (progress === null ? agent.progress === null : agent.progress?.what === progress),
        ),
    );
  await shown("sign-in", null);
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  await shown(null, true);
  client.leave();
});

test("a restarted session signs in again and keeps its conversation", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  await signIn("guarded", "key");
  const session = await gateway.openSession("guarded");
  using watcher = new Watcher(session);
  await turn(session, watcher, "hello");
  await session.close("tester");
  await turn(session, watcher, "again");
  const starts = watcher.events.filter(({ kind }) => kind === "agent-started");
  expect(starts).toMatchObject([{ how: "new" }, { how: "load" }]);
});

test("a session signs in again after a restart of the gateway", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  await signIn("guarded", "key");
  const { id } = await gateway.openSession("guarded");
  await gateway.stop();
  await gateway.start();
  const session = await gateway.sessions.get(id);
  using watcher = new Watcher(session, session.log.visible);
  expect(await turn(session, watcher, "again")).toMatchObject({ stopReason: "end_turn" });
  expect(watcher.events).toContainEqual(expect.objectContaining({ how: "load" }));
});

test("methods that the agent can't perform are refused with instructions", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  expect(await signIn("guarded", "variable")).toMatchObject({
    status: 403,
    body: { code: "tool-disabled", help: expect.stringContaining("Set SOME_KEY") },
  });
  expect(await signIn("guarded", "nothing")).toMatchObject({
    status: 422,
    body: { code: "invalid-params", help: expect.stringContaining('"API key" (key)') },
  });
  expect(await signIn("nobody", "key")).toMatchObject({
    status: 404,
    body: { code: "agent-not-found" },
  });
  expect(await listed("guarded")).toMatchObject({ signedIn: null, progress: null });
});

test("a failed sign-in reports the agent's stderr", async () => {
  const refusing = {
    ...guarded,
    atStart: [{ stderr: "no browser here\n" }],
    answers: { authenticate: { error: { code: -32603, message: "The page was closed" } } },
  };
  gateway = await ScriptedGateway.open({ refusing });
  expect(await signIn("refusing", "key")).toMatchObject({
    status: 401,
    body: {
      code: "auth-required",
      message: 'Signing in to refusing with "API key" failed: The page was closed',
      stderr: expect.stringContaining("no browser here"),
    },
  });
  expect(await listed("refusing")).toMatchObject({ signedIn: false, progress: null });
});

test("a sign-in times out, and a later one replaces an earlier one", async () => {
  const mute = { ...guarded, answers: { authenticate: { never: true } } };
  gateway = await ScriptedGateway.open({ mute }, { signInMs: 1_500 });
  const client = await connected();
  const first = client.ask("sign-in", { agent: "mute", methodId: "key" });
  await client.until(
    ({ type, agents }) =>
      type === "agents" &&
      (agents as AgentSummary[]).some(({ progress }) => progress?.message.startsWith("Signing in")),
  );
  const second = client.ask("sign-in", { agent: "mute", methodId: "key" });
  expect((await first)["error"]).toMatchObject({ code: "request-cancelled" });
  expect((await second)["error"]).toMatchObject({ code: "timeout" });
  client.leave();
});

test("a prompt refused with auth-required marks the agent as signed out, and a successful one as signed in", async () => {
  const late = {
    initialize: { authMethods: methods },
    turns: [
      { match: "first", steps: [], end: { error: { code: -32000, message: "Token expired" } } },
      { match: "second", steps: [{ say: "Fine." }] },
    ],
  };
  gateway = await ScriptedGateway.open({ late });
  const session = await gateway.openSession("late");
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "first")).toMatchObject({
    stopReason: "failed",
    error: { code: "auth-required", message: expect.stringContaining("It says: Token expired") },
  });
  expect(await listed("late")).toMatchObject({ signedIn: false });
  await turn(session, watcher, "second");
  expect(await listed("late")).toMatchObject({ signedIn: true });
});
