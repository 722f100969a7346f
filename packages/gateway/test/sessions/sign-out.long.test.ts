import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { afterEach, expect, test } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { model } from "./agent-options.ts";
import { ScriptedGateway, text, turn, Watcher } from "./scripted-gateway.ts";
import { SignInClient } from "./sign-in-client.ts";

/** Stores a sign-in only in its process. */
const guarded = {
  authentication: "required",
  initialize: {
    authMethods: [{ id: "key", name: "API key" }],
    agentCapabilities: { loadSession: true, auth: { logout: {} } },
  },
  turns: [
    { match: "wait", steps: [{ say: "Waiting." }], end: "never" },
    { match: "/./", steps: [{ say: "Welcome." }] },
  ],
};

const answering = (logout: object) => ({ ...guarded, answers: { logout } });

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

async function ask(path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const { url, token } = gateway;
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function metrics(): Promise<string> {
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/metrics`, { headers })).text();
}

async function listed(id = "guarded"): Promise<AgentSummary | undefined> {
  const { agents } = (await ask("/api/agents")).body as { agents: AgentSummary[] };
  return agents.find((agent) => agent.id === id);
}

const signIn = () => ask("/api/agents/guarded/sign-in", { methodId: "key" });
const signOut = () => ask("/api/agents/guarded/sign-out", {});
const done = { status: 200, body: { agent: "guarded" } };

async function signedInSession(): Promise<Session> {
  expect(await signIn()).toMatchObject({ status: 200 });
  return gateway.openSession("guarded");
}

/** The result of a prompt: the agent's answer, or the error code. */
async function outcome(session: Session, words = "hello"): Promise<string> {
  using watcher = new Watcher(session, session.log.visible);
  const { error } = await turn(session, watcher, words);
  return error?.code ?? watcher.said;
}

test("a sign-out ends every process of the agent and notifies all clients", async () => {
  gateway = await ScriptedGateway.open({ guarded }, { listDelayMs: 1 });
  expect(await listed()).toMatchObject({ signedIn: null, canSignOut: null });
  const sessions = [await signedInSession(), await gateway.openSession("guarded")];
  for (const session of sessions) expect(await outcome(session)).toBe("Welcome.");
  expect(await listed()).toMatchObject({ signedIn: true, canSignOut: true, keys: null });

  using desk = await SignInClient.open(gateway, "guarded");
  const told = desk.client.until(
    ({ type, agents }) =>
      type === "agents" &&
      (agents as AgentSummary[]).some(({ id, signedIn }) => id === "guarded" && signedIn === false),
  );
  expect(await signOut()).toEqual(done);
  await told;
  for (const session of sessions) expect(await outcome(session)).toBe("auth-required");

  await signIn();
  for (const session of sessions) expect(await outcome(session)).toBe("Welcome.");
});

test("a sign-out deletes the stored sign-in method", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  const session = await signedInSession();
  using watcher = new Watcher(session, session.log.visible);
  await signOut();
  const [me] = Object.keys(((await ask("/api/me")).body as { people: object }).people);
  expect(await watcher.until("agent-exited")).toMatchObject({ because: "signed-out", by: me });
  const { id } = session;
  await gateway.stop();
  await gateway.start();
  expect(await outcome(await gateway.sessions.get(id))).toBe("auth-required");
});

/** Writes its pid to `starts`, one per line. */
async function openCounted(scenario: object, limits = {}): Promise<() => Promise<number[]>> {
  gateway = await ScriptedGateway.open({ guarded: scenario }, limits);
  await gateway.stop();
  const file = join(gateway.folder, "guarded.json");
  const state = join(gateway.folder, "guarded-state");
  const { command, args } = scriptedAgentCommand(file, { state });
  const starts = join(gateway.folder, "starts");
  const script = `echo $$ >> "${starts}"; exec "$0" "$@"`;
  const agent = { id: "guarded", command: "/bin/sh", args: ["-c", script, command, ...args] };
  await gateway.start({ agents: [agent] });
  return async () => (await readFile(starts, "utf8")).trim().split("\n").map(Number);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("without a running agent, one is started once for concurrent sign-outs and ended", async () => {
  const starts = await openCounted(guarded);
  const session = await gateway.openSession("guarded").catch((error: unknown) => error);
  expect(session).toMatchObject({ code: "auth-required" });
  // As its own program leaves it.
  const kept = join(gateway.folder, "guarded-state/signed-in");
  await writeFile(kept, "");
  expect(await Promise.all([signOut(), signOut()])).toEqual([done, done]);
  await expect(readFile(kept)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await listed()).toMatchObject({ signedIn: false, canSignOut: true });
  const pids = await starts();
  expect(pids).toHaveLength(2);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("a running agent performs the sign-out, and none is started", async () => {
  const starts = await openCounted(guarded);
  await signedInSession();
  const before = await starts();
  expect(before.filter(isRunning)).toHaveLength(1);
  expect(await signOut()).toEqual(done);
  expect(await starts()).toEqual(before);
  expect(before.filter(isRunning)).toEqual([]);
});

test("an agent that exits after the logout response has not crashed", async () => {
  gateway = await ScriptedGateway.open({ guarded: answering({ after: [{ crash: 0 }] }) });
  const session = await signedInSession();
  expect(await outcome(session)).toBe("Welcome.");
  using watcher = new Watcher(session, session.log.visible);
  expect(await signOut()).toEqual(done);
  expect(watcher.kinds).toEqual(["agent-exited"]);
  expect(await metrics()).not.toContain('agents_crashed_total{agent="guarded"}');
});

test("an agent without logout is refused with instructions", async () => {
  const { initialize } = guarded;
  gateway = await ScriptedGateway.open({
    guarded: { ...guarded, initialize: { ...initialize, agentCapabilities: {} } },
  });
  const refusal = {
    status: 403,
    body: {
      code: "tool-disabled",
      message: "guarded does not support signing out from here.",
      help: expect.stringMatching(/its own program, in a terminal .* `.*scripted-agent/),
    },
  };
  expect(await signOut()).toMatchObject(refusal);
  const session = await signedInSession();
  expect(await signOut()).toMatchObject(refusal);
  expect(await listed()).toMatchObject({ signedIn: true, canSignOut: false });
  expect(await outcome(session)).toBe("Welcome.");
  expect(await ask("/api/agents/nobody/sign-out", {})).toMatchObject({ status: 404 });
});

test("a sign-out is refused during a sign-in, which continues", async () => {
  gateway = await ScriptedGateway.open(
    { guarded: { ...guarded, answers: { authenticate: { never: true } } } },
    { listDelayMs: 1 },
  );
  using desk = await SignInClient.open(gateway, "guarded");
  const signingIn = desk.signIn("key");
  await desk.shown(({ message }) => message.startsWith("Signing in"));
  expect(await signOut()).toMatchObject({
    status: 409,
    body: { code: "agent-busy", message: "Somebody is signing in to guarded." },
  });
  expect((await listed())?.progress).toMatchObject({ what: "sign-in" });
  await desk.cancel();
  expect((await signingIn)["error"]).toMatchObject({ code: "request-cancelled" });
  expect(await signOut()).toEqual(done);
});

test("a sign-out is refused while the agent works, and the work continues", async () => {
  gateway = await ScriptedGateway.open({ guarded });
  const session = await signedInSession();
  using watcher = new Watcher(session);
  await session.prompt("p", text("wait"), "tester");
  await watcher.until("update");
  expect(await signOut()).toMatchObject({
    status: 409,
    body: {
      code: "agent-busy",
      message: "guarded is working in a conversation.",
      sessions: [session.id],
    },
  });
  expect(session.summary.state).toBe("running");
  expect(await listed()).toMatchObject({ signedIn: true });
  await session.cancel("tester");
  await watcher.until("turn-ended");
  expect(await signOut()).toEqual(done);
});

test("prompts, new sessions and sign-ins during a sign-out are not lost, and use an agent that is signed out", async () => {
  gateway = await ScriptedGateway.open({ guarded: answering({ delayMs: 300 }) });
  const session = await signedInSession();
  using desk = await SignInClient.open(gateway, "guarded");
  const signingOut = desk.client.ask("sign-out", { agent: "guarded" });
  expect((await desk.signIn("key"))["error"]).toMatchObject({
    code: "agent-busy",
    message: "Somebody is signing out of guarded.",
  });
  expect(
    await Promise.allSettled([outcome(session), gateway.openSession("guarded")]),
  ).toMatchObject([{ value: "auth-required" }, { reason: { code: "auth-required" } }]);
  expect((await signingOut)["result"]).toMatchObject({ agent: expect.any(String) });
});

test("a choice that is made meanwhile is made with the next agent", async () => {
  const { authentication: _, ...open } = guarded;
  const answers = { logout: { delayMs: 300 }, "session/set_config_option": { delayMs: 600 } };
  gateway = await ScriptedGateway.open({
    guarded: { ...open, session: { configOptions: [model] }, answers },
  });
  const session = await gateway.openSession("guarded");
  using watcher = new Watcher(session, session.log.visible);
  using desk = await SignInClient.open(gateway, "guarded");
  const signingOut = desk.client.ask("sign-out", { agent: "guarded" });
  expect((await desk.signIn("key"))["error"]).toMatchObject({ code: "agent-busy" });
  await session.setConfig("model", "large", "tester");
  expect((await signingOut)["result"]).toMatchObject({ agent: expect.any(String) });
  expect(watcher.kinds.slice(0, 2)).toEqual(["agent-exited", "agent-started"]);
  expect(await session.view()).toMatchObject({
    configOptions: [{ id: "model", currentValue: "large" }],
  });
});

test("sessions that are closed or deleted meanwhile do not stop it: the next agent is used, or one is started", async () => {
  const starts = await openCounted(answering({ delayMs: 300 }));
  const [closed, deleted] = [await signedInSession(), await gateway.openSession("guarded")];
  const before = await starts();
  using desk = await SignInClient.open(gateway, "guarded");
  const signOutMeanwhile = async (work: () => Promise<unknown>) => {
    const signingOut = desk.client.ask("sign-out", { agent: "guarded" });
    expect((await desk.signIn("key"))["error"]).toMatchObject({ code: "agent-busy" });
    await work();
    expect((await signingOut)["result"]).toMatchObject({ agent: expect.any(String) });
    expect(await listed()).toMatchObject({ signedIn: false });
    expect((await starts()).filter(isRunning)).toEqual([]);
  };
  await signOutMeanwhile(() => closed.close("tester"));
  expect(await starts()).toEqual(before);

  await signIn();
  expect(await outcome(deleted)).toBe("Welcome.");
  await signOutMeanwhile(() => gateway.sessions.delete(deleted.id, "tester"));
});

test("nor does a session that is deleted while its agent is being ended", async () => {
  const process = { stdinClose: { afterMs: 300 } };
  gateway = await ScriptedGateway.open({ guarded: { ...guarded, process } });
  const session = await signedInSession();
  const signingOut = signOut();
  await expect.poll(metrics).toContain('agents_running{agent="guarded"} 0');
  await gateway.sessions.delete(session.id, "tester");
  expect(await signingOut).toEqual(done);
});

test("a sign-out times out, and the agent continues", async () => {
  const starts = await openCounted(answering({ never: true }), { signOutMs: 200 });
  const late = {
    status: 504,
    body: {
      code: "timeout",
      message: expect.stringMatching(
        /^Signing out of guarded failed: .* The agent may be signed out/,
      ),
      help: expect.stringContaining("Try again"),
    },
  };
  expect(await signOut()).toMatchObject(late);
  expect((await starts()).filter(isRunning)).toEqual([]);
  const session = await signedInSession();
  expect(await signOut()).toMatchObject(late);
  expect(await listed()).toMatchObject({ signedIn: true });
  expect(await outcome(session)).toBe("Welcome.");
});

test("an agent that exits during logout is reported with its stderr", async () => {
  const starts = await openCounted(
    answering({ before: [{ stderr: "no keychain\n" }, { crash: 3 }] }),
  );
  const ended = {
    status: 502,
    body: { code: "agent-exited", message: expect.stringContaining("with code 3: no keychain") },
  };
  expect(await signOut()).toMatchObject(ended);
  const session = await signedInSession();
  expect(await signOut()).toMatchObject(ended);
  expect((await starts()).filter(isRunning)).toEqual([]);
  expect(await listed()).toMatchObject({ signedIn: true });
  expect(await outcome(session)).toBe("Welcome.");
});

test('an error of the agent is reported, and "not signed in" counts as success', async () => {
  const error = { code: -32603, message: "The keychain is locked" };
  gateway = await ScriptedGateway.open({
    guarded: answering({ error }),
    other: answering({ error: { code: -32000, message: "Not signed in" } }),
  });
  const session = await signedInSession();
  expect(await signOut()).toMatchObject({
    status: 502,
    body: {
      code: "agent-failed",
      message: "Signing out of guarded failed: The keychain is locked",
    },
  });
  expect(await listed()).toMatchObject({ signedIn: true });
  expect(await outcome(session)).toBe("Welcome.");
  expect(await ask("/api/agents/other/sign-out", {})).toMatchObject({ status: 200 });
  expect(await listed("other")).toMatchObject({ signedIn: false });
});

test("an agent that still works after a sign-out is no longer marked as signed out", async () => {
  const { authentication: _, ...open } = guarded;
  gateway = await ScriptedGateway.open({ guarded: open });
  const session = await gateway.openSession("guarded");
  expect(await signOut()).toEqual(done);
  expect(await listed()).toMatchObject({ signedIn: false });
  expect(await outcome(session)).toBe("Welcome.");
  expect(await listed()).toMatchObject({ signedIn: null });
});

test("shutting down during a sign-out ends all its processes", async () => {
  const starts = await openCounted(answering({ never: true }));
  const signingOut = signOut().catch(() => null);
  await expect.poll(() => starts().catch(() => [])).toHaveLength(1);
  await gateway.stop();
  await signingOut;
  expect((await starts()).filter(isRunning)).toEqual([]);
});
